DROP TABLE episode_access;
DROP TABLE episode_message;
DROP TABLE episode;
