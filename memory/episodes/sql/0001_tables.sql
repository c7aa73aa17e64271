-- Purpose: episodes, which messages each holds, and when they were opened (SPEC 11, D-10, D-43, D-44).

CREATE TABLE episode (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  session_started_at timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  message_count integer NOT NULL,
  sealed bytea NOT NULL,
  made_by varchar(120) NOT NULL DEFAULT '',
  version integer NOT NULL,
  is_kept boolean NOT NULL DEFAULT false,
  layer varchar(4) NOT NULL DEFAULT 'hot',
  priority double precision NOT NULL DEFAULT 0.3,
  parts double precision[] NOT NULL DEFAULT '{}',
  anchored_by varchar(16)[] NOT NULL DEFAULT '{}',
  access_count integer NOT NULL DEFAULT 0,
  last_accessed_at timestamptz,
  continues_from uuid,
  related_to uuid[] NOT NULL DEFAULT '{}',
  cut_at timestamptz NOT NULL,
  layered_at timestamptz,
  worded_at timestamptz,
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_episode_belongs_to_a_conversation_of_its_user
    FOREIGN KEY (user_id, conversation_id) REFERENCES memory_conversation (user_id, id),
  CONSTRAINT an_episode_has_a_layer CHECK (layer IN ('hot', 'warm', 'cold')),
  CONSTRAINT a_priority_is_between_none_and_all CHECK (priority BETWEEN 0 AND 1),
  CONSTRAINT an_episode_ends_after_it_begins CHECK (ended_at >= started_at AND started_at >= session_started_at),
  CONSTRAINT an_episode_holds_messages CHECK (message_count > 0),
  CONSTRAINT an_episode_does_not_continue_itself CHECK (continues_from IS DISTINCT FROM id),
  CONSTRAINT accesses_are_counted_from_zero CHECK (access_count >= 0)
);
ALTER TABLE episode ALTER sealed SET STATISTICS 0;
-- Serves: a user's episodes, newest first (list, console, nightly layers).
CREATE INDEX episodes_of_a_user_newest_first ON episode (user_id, ended_at DESC, id DESC);
-- Serves: the episodes of a stretch of a conversation (cutting, the pack's overflow of the window).
CREATE INDEX episodes_of_a_conversation ON episode (user_id, conversation_id, started_at);
-- Serves: find_owner(id), for URLs with a bare episode id.
CREATE INDEX owner_of_an_episode ON episode (id);
-- Serves: claim_unlayered_users_v1.
CREATE INDEX episodes_by_night ON episode (layered_at NULLS FIRST, user_id);
-- Serves: claim_unworded_episodes_v2.
CREATE INDEX episodes_to_word ON episode (tenant_id, cut_at DESC) WHERE worded_at IS NULL;

CREATE TABLE episode_message (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  message_id uuid NOT NULL,
  episode_id uuid NOT NULL,
  place smallint NOT NULL,
  PRIMARY KEY (user_id, message_id),
  CONSTRAINT a_place_in_an_episode_is_taken_once UNIQUE (user_id, episode_id, place),
  CONSTRAINT messages_go_with_their_episode
    FOREIGN KEY (user_id, episode_id) REFERENCES episode (user_id, id) ON DELETE CASCADE,
  CONSTRAINT an_episode_holds_messages_of_its_user
    FOREIGN KEY (user_id, message_id) REFERENCES memory_message (user_id, id),
  CONSTRAINT places_count_from_zero CHECK (place >= 0)
);

CREATE TABLE episode_access (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  episode_id uuid NOT NULL,
  day date NOT NULL,
  accesses integer NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, episode_id, day),
  CONSTRAINT an_access_happened CHECK (accesses > 0)
);
