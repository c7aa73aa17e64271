-- Purpose: the built-in embedder with as many numbers as it has by default, so that an installation needs no step of its own for it.
-- What the former one left stays: its vectors are never compared with these, `rebuild` clears them.
INSERT INTO embedding_model (name, dimensions, is_inline) VALUES ('hashed-ngrams-3', 256, true)
ON CONFLICT ON CONSTRAINT a_model_is_known_by_its_name_and_dimensions DO NOTHING;
