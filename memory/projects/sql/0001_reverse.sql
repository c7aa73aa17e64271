-- Purpose: takes back 0001_tables and 0001_guards.
DROP TABLE project_run, project_snapshot, project_question, project_conflict, project_link, project_decision_state,
  project_decision, project_evidence, project_fact, project_source, project_artifact, project_thread, project_item,
  project_version, project;
DROP FUNCTION keep_project_version_v1, keep_project_fact_v1, keep_project_snapshot_v1, check_decision_state_v1,
  decision_may_move_v1;
