-- Purpose: corpora of a tenant with all that is derived from them. Every key starts with the corpus, so that the cost of one corpus
-- does not depend on how many others there are. Indexes of hot reads hold the tenant too: under row-level security only then do they
-- answer alone.

CREATE TABLE knowledge_corpus (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  external_id varchar(128) NOT NULL,
  name varchar(200) NOT NULL,
  schema_name varchar(40) NOT NULL,
  schema jsonb NOT NULL,
  settings jsonb NOT NULL DEFAULT '{}',
  version bigint NOT NULL DEFAULT 1,
  registry_version bigint NOT NULL DEFAULT 1,
  documents integer NOT NULL DEFAULT 0,
  records integer NOT NULL DEFAULT 0,
  chunks integer NOT NULL DEFAULT 0,
  entities integer NOT NULL DEFAULT 0,
  aliases integer NOT NULL DEFAULT 0,
  mentions integer NOT NULL DEFAULT 0,
  edges integer NOT NULL DEFAULT 0,
  last_ingest_at timestamptz,
  last_ingest jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT a_corpus_has_an_external_id CHECK (external_id <> ''),
  CONSTRAINT an_external_id_is_one_corpus_of_a_tenant UNIQUE (tenant_id, external_id)
);

CREATE TABLE knowledge_document (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  external_id varchar(128) NOT NULL,
  title varchar(500) NOT NULL DEFAULT '',
  text text NOT NULL,
  language varchar(16) NOT NULL DEFAULT '',
  url varchar(2000) NOT NULL DEFAULT '',
  author varchar(200) NOT NULL DEFAULT '',
  dated varchar(40) NOT NULL DEFAULT '',
  authority double precision,
  metadata jsonb NOT NULL DEFAULT '{}',
  version bigint NOT NULL,
  ingested_at timestamptz NOT NULL,
  PRIMARY KEY (corpus_id, id),
  CONSTRAINT a_document_has_an_external_id CHECK (external_id <> ''),
  CONSTRAINT an_external_id_is_one_document_of_a_corpus UNIQUE (corpus_id, external_id)
);

CREATE TABLE knowledge_entity (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  type varchar(64) NOT NULL,
  key varchar(200) NOT NULL,
  name varchar(500) NOT NULL,
  fields jsonb NOT NULL DEFAULT '{}',
  is_bare boolean NOT NULL DEFAULT false,
  merged_into_id bigint,
  PRIMARY KEY (corpus_id, id),
  CONSTRAINT a_key_is_one_entity_of_a_type UNIQUE (corpus_id, type, key),
  CONSTRAINT an_entity_is_merged_into_one_of_its_corpus
    FOREIGN KEY (corpus_id, merged_into_id) REFERENCES knowledge_entity (corpus_id, id) ON DELETE SET NULL (merged_into_id),
  CONSTRAINT an_entity_is_not_merged_into_itself CHECK (merged_into_id <> id),
  CONSTRAINT an_entity_has_a_type_and_a_key CHECK (type <> '' AND key <> '')
);
-- Serves: what was merged into an entity, and its deletion.
CREATE INDEX entities_merged_into_another ON knowledge_entity (corpus_id, merged_into_id) WHERE merged_into_id IS NOT NULL;

CREATE TABLE knowledge_record (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  external_id varchar(128) NOT NULL,
  entity_id bigint NOT NULL,
  body jsonb NOT NULL,
  version bigint NOT NULL,
  ingested_at timestamptz NOT NULL,
  PRIMARY KEY (corpus_id, id),
  CONSTRAINT a_record_has_an_external_id CHECK (external_id <> ''),
  CONSTRAINT an_external_id_is_one_record_of_a_corpus UNIQUE (corpus_id, external_id),
  CONSTRAINT an_entity_has_one_record_at_most UNIQUE (corpus_id, entity_id),
  CONSTRAINT a_record_is_about_an_entity
    FOREIGN KEY (corpus_id, entity_id) REFERENCES knowledge_entity (corpus_id, id)
);

CREATE TABLE knowledge_chunk (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  document_id bigint,
  record_id bigint,
  ordinal integer NOT NULL,
  start_at integer NOT NULL,
  end_at integer NOT NULL,
  title varchar(500) NOT NULL DEFAULT '',
  text text NOT NULL,
  words integer NOT NULL,
  tokeniser smallint NOT NULL,
  embedding halfvec,
  -- What the chunk is found by; its postings come and go with it (0001_postings.sql).
  terms bigint[] NOT NULL DEFAULT '{}',
  counts smallint[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (corpus_id, id),
  CONSTRAINT each_term_of_a_chunk_has_a_count CHECK (cardinality(terms) = cardinality(counts)),
  CONSTRAINT a_chunk_is_of_a_document_or_a_record CHECK ((document_id IS NULL) <> (record_id IS NULL)),
  CONSTRAINT a_chunk_is_some_characters_of_its_text CHECK (start_at >= 0 AND end_at - start_at = char_length(text)),
  CONSTRAINT a_chunk_goes_with_its_document
    FOREIGN KEY (corpus_id, document_id) REFERENCES knowledge_document (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT a_chunk_goes_with_its_record
    FOREIGN KEY (corpus_id, record_id) REFERENCES knowledge_record (corpus_id, id) ON DELETE CASCADE
);
-- Serves: the chunks of a document or a record, and their deletion.
CREATE INDEX chunks_of_a_document ON knowledge_chunk (corpus_id, document_id) WHERE document_id IS NOT NULL;
CREATE INDEX chunks_of_a_record ON knowledge_chunk (corpus_id, record_id) WHERE record_id IS NOT NULL;

CREATE TABLE knowledge_posting (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  term bigint NOT NULL,
  chunk_id bigint NOT NULL,
  count smallint NOT NULL,
  PRIMARY KEY (corpus_id, term, chunk_id) INCLUDE (tenant_id, count),
  CONSTRAINT a_posting_counts_something CHECK (count > 0)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE TABLE knowledge_alias (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  entity_id bigint NOT NULL,
  text varchar(500) NOT NULL,
  folded varchar(500) NOT NULL,
  kind varchar(16) NOT NULL,
  status varchar(16) NOT NULL DEFAULT 'active',
  PRIMARY KEY (corpus_id, id),
  CONSTRAINT an_alias_goes_with_its_entity
    FOREIGN KEY (corpus_id, entity_id) REFERENCES knowledge_entity (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT an_alias_is_written_once_for_an_entity UNIQUE (corpus_id, entity_id, text),
  CONSTRAINT an_alias_has_a_known_kind CHECK (kind IN ('name', 'declared', 'title', 'person')),
  CONSTRAINT an_alias_has_a_known_status CHECK (status IN ('active', 'confirmed', 'refused', 'ignored'))
);
-- Serves: references by name, and the search for entities by the beginning of a name.
CREATE INDEX aliases_by_folded_text ON knowledge_alias (corpus_id, folded text_pattern_ops);

CREATE TABLE knowledge_alias_key (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  key bigint NOT NULL,
  alias_id bigint NOT NULL,
  kind smallint NOT NULL,
  PRIMARY KEY (corpus_id, key, alias_id, kind) INCLUDE (tenant_id),
  CONSTRAINT a_key_goes_with_its_alias
    FOREIGN KEY (corpus_id, alias_id) REFERENCES knowledge_alias (corpus_id, id) ON DELETE CASCADE
);
-- Serves: the deletion of an alias.
CREATE INDEX keys_of_an_alias ON knowledge_alias_key (corpus_id, alias_id);

CREATE TABLE knowledge_mention (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  chunk_id bigint NOT NULL,
  start_at integer NOT NULL,
  end_at integer NOT NULL,
  entity_id bigint NOT NULL,
  match varchar(10) NOT NULL,
  is_strict boolean NOT NULL,
  surface varchar(500) NOT NULL,
  PRIMARY KEY (corpus_id, chunk_id, start_at, entity_id) INCLUDE (tenant_id, is_strict),
  CONSTRAINT a_mention_goes_with_its_chunk
    FOREIGN KEY (corpus_id, chunk_id) REFERENCES knowledge_chunk (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT a_mention_goes_with_its_entity
    FOREIGN KEY (corpus_id, entity_id) REFERENCES knowledge_entity (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT a_mention_is_some_characters CHECK (end_at > start_at AND start_at >= 0),
  CONSTRAINT a_mention_has_a_known_match
    CHECK (match IN ('exact', 'folded', 'stem', 'morph', 'skeleton', 'acronym', 'fuzzy')),
  CONSTRAINT only_near_matches_are_strict CHECK (NOT is_strict OR match IN ('exact', 'folded', 'stem', 'morph'))
);
-- Serves: the mentions of an entity, and PageRank from it.
CREATE INDEX mentions_of_an_entity ON knowledge_mention (corpus_id, entity_id) INCLUDE (tenant_id, chunk_id, is_strict);

CREATE TABLE knowledge_edge (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind varchar(64) NOT NULL,
  source_id bigint NOT NULL,
  target_id bigint NOT NULL,
  record_id bigint NOT NULL,
  ordinal integer NOT NULL,
  reference varchar(600) NOT NULL,
  valid_from timestamptz,
  valid_to timestamptz,
  -- What the reference calls the other end: a bare node is called by the first of these, found without reading all of them.
  spelling varchar(500) COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (corpus_id, id),
  CONSTRAINT an_edge_goes_with_its_record
    FOREIGN KEY (corpus_id, record_id) REFERENCES knowledge_record (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT an_edge_starts_at_an_entity
    FOREIGN KEY (corpus_id, source_id) REFERENCES knowledge_entity (corpus_id, id),
  CONSTRAINT an_edge_ends_at_an_entity
    FOREIGN KEY (corpus_id, target_id) REFERENCES knowledge_entity (corpus_id, id),
  CONSTRAINT an_edge_of_a_record_is_written_once UNIQUE (corpus_id, record_id, ordinal),
  CONSTRAINT an_edge_ends_after_it_begins CHECK (valid_to >= valid_from)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
-- Serves: a hop along a kind, forwards and backwards, without the rows.
CREATE INDEX edges_from_an_entity ON knowledge_edge (corpus_id, source_id, kind)
  INCLUDE (tenant_id, target_id, valid_from, valid_to, record_id);
CREATE INDEX edges_to_an_entity ON knowledge_edge (corpus_id, target_id, kind)
  INCLUDE (tenant_id, source_id, valid_from, valid_to, record_id);
-- Serves: the edges whose end may change when a record comes, goes or is renamed.
CREATE INDEX edges_by_reference ON knowledge_edge (corpus_id, reference);
-- Serves: derive_entities.sql, for hubs that a hundred thousand edges lead to.
CREATE INDEX spellings_of_a_target ON knowledge_edge (corpus_id, target_id, spelling) WHERE spelling <> '';

CREATE TABLE knowledge_title (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL,
  document_id bigint NOT NULL,
  entity_id bigint NOT NULL,
  PRIMARY KEY (corpus_id, document_id),
  CONSTRAINT a_title_goes_with_its_document
    FOREIGN KEY (corpus_id, document_id) REFERENCES knowledge_document (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT a_title_names_an_entity
    FOREIGN KEY (corpus_id, entity_id) REFERENCES knowledge_entity (corpus_id, id)
);
-- Serves: whether an entity still has a document that it is the title of.
CREATE INDEX documents_of_a_title ON knowledge_title (corpus_id, entity_id);

CREATE TABLE knowledge_registry_action (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  id uuid PRIMARY KEY,
  kind varchar(16) NOT NULL,
  entity_id bigint NOT NULL,
  other_id bigint,
  text varchar(500) NOT NULL DEFAULT '',
  before jsonb NOT NULL DEFAULT '{}',
  reason varchar(200) NOT NULL DEFAULT '',
  staff_id bigint,
  made_at timestamptz NOT NULL,
  undone_at timestamptz,
  undone_by bigint,
  CONSTRAINT an_action_goes_with_its_entity
    FOREIGN KEY (corpus_id, entity_id) REFERENCES knowledge_entity (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT an_action_goes_with_its_other_entity
    FOREIGN KEY (corpus_id, other_id) REFERENCES knowledge_entity (corpus_id, id) ON DELETE CASCADE,
  CONSTRAINT an_action_on_the_registry_is_of_a_known_kind CHECK (kind IN ('confirm', 'refuse', 'merge', 'split'))
);
-- Serves: the log of a corpus, newest first, and what was done to an entity.
CREATE INDEX registry_actions_of_a_corpus ON knowledge_registry_action (corpus_id, made_at DESC);
CREATE INDEX registry_actions_of_an_entity ON knowledge_registry_action (corpus_id, entity_id);
CREATE INDEX registry_actions_of_the_other ON knowledge_registry_action (corpus_id, other_id) WHERE other_id IS NOT NULL;

CREATE TABLE knowledge_plan (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  id uuid PRIMARY KEY,
  version integer NOT NULL,
  state varchar(8) NOT NULL,
  intents jsonb NOT NULL,
  note varchar(200) NOT NULL DEFAULT '',
  staff_id bigint,
  created_at timestamptz NOT NULL,
  activated_at timestamptz,
  CONSTRAINT a_version_is_one_plan_of_a_corpus UNIQUE (corpus_id, version),
  CONSTRAINT a_plan_is_a_draft_active_or_retired CHECK (state IN ('draft', 'active', 'retired')),
  CONSTRAINT a_plan_has_a_version CHECK (version > 0)
);
CREATE UNIQUE INDEX a_corpus_has_one_active_plan ON knowledge_plan (corpus_id) WHERE state = 'active';

CREATE TABLE knowledge_snapshot (
  tenant_id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  made_at timestamptz NOT NULL,
  nodes integer NOT NULL,
  edges integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (corpus_id, version)
);
ALTER TABLE knowledge_snapshot ALTER data SET STORAGE EXTERNAL;

CREATE TABLE ask_turn (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  conversation varchar(128) NOT NULL DEFAULT '',
  conversation_id uuid,
  sealed bytea NOT NULL,
  intent varchar(80) NOT NULL DEFAULT '',
  entity_type varchar(64) NOT NULL DEFAULT '',
  entity_key varchar(200) NOT NULL DEFAULT '',
  asked_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id)
);
-- Serves: the last turns of a conversation, newest first.
CREATE INDEX ask_turns_of_a_conversation ON ask_turn (user_id, corpus_id, conversation, asked_at DESC);
-- Serves: the deletion of a corpus, and the nightly removal of old turns.
CREATE INDEX ask_turns_of_a_corpus ON ask_turn (corpus_id);
CREATE INDEX ask_turns_by_age ON ask_turn (tenant_id, asked_at);

-- What was deleted is in no sample of the planner either.
ALTER TABLE knowledge_document ALTER external_id SET STATISTICS 0, ALTER title SET STATISTICS 0, ALTER text SET STATISTICS 0,
  ALTER url SET STATISTICS 0, ALTER author SET STATISTICS 0, ALTER dated SET STATISTICS 0, ALTER metadata SET STATISTICS 0;
ALTER TABLE knowledge_record ALTER external_id SET STATISTICS 0, ALTER body SET STATISTICS 0;
ALTER TABLE knowledge_entity ALTER key SET STATISTICS 0, ALTER name SET STATISTICS 0, ALTER fields SET STATISTICS 0;
ALTER TABLE knowledge_chunk ALTER title SET STATISTICS 0, ALTER text SET STATISTICS 0, ALTER terms SET STATISTICS 0,
  ALTER counts SET STATISTICS 0;
ALTER TABLE knowledge_alias ALTER text SET STATISTICS 0, ALTER folded SET STATISTICS 0;
ALTER TABLE knowledge_mention ALTER surface SET STATISTICS 0;
ALTER TABLE knowledge_edge ALTER reference SET STATISTICS 0, ALTER spelling SET STATISTICS 0;
ALTER TABLE knowledge_registry_action ALTER text SET STATISTICS 0, ALTER before SET STATISTICS 0, ALTER reason SET STATISTICS 0;
ALTER TABLE ask_turn ALTER conversation SET STATISTICS 0, ALTER sealed SET STATISTICS 0, ALTER intent SET STATISTICS 0,
  ALTER entity_type SET STATISTICS 0, ALTER entity_key SET STATISTICS 0;

-- The planner has no statistics of corpora. With them it takes a corpus that came after the last ANALYZE for one row,
-- and any index that begins with the corpus for as good as the one that also has the entity: a large ingest then reads the whole
-- corpus once for each of its rows. Without them every corpus is a two-hundredth of its table.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['document', 'entity', 'record', 'chunk', 'posting', 'alias', 'alias_key', 'mention', 'edge', 'title'] LOOP
    EXECUTE format('ALTER TABLE %I ALTER corpus_id SET STATISTICS 0', 'knowledge_' || name);
  END LOOP;
END $$;
