DROP FUNCTION count_facts_to_remove_v1();
DROP TABLE calibration_night;
