-- Purpose: completed erasures whose second stage is not signed: files of the database may still hold the erased (D-30);
-- and the count of erasures, by which every process learns that it has words to forget.

-- Serves: find_erasures_in_files_v1. Completed and looked at once more; few, for the night signs them.
CREATE INDEX erasures_by_completion ON erasure_request (completed_at) WHERE status = 'completed' AND rechecked_at IS NOT NULL;

-- The oldest first. Indexes: erasures_by_completion, certificates_of_an_erasure.
CREATE FUNCTION find_erasures_in_files_v1(at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, erasure_id uuid, completed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.tenant_id, r.user_id, r.id, r.completed_at FROM erasure_request r
   WHERE r.status = 'completed' AND r.rechecked_at IS NOT NULL
     AND NOT EXISTS (SELECT FROM erasure_certificate c
                      WHERE c.user_id = r.user_id AND c.erasure_id = r.id AND c.stage = 2)
   ORDER BY r.completed_at LIMIT at_most
$$;

-- Counts on with every erasure that has deleted something. A process that sees a new number empties its stores of words.
CREATE SEQUENCE erasure_generation;
