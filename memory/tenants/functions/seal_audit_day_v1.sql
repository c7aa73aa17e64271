-- The hash of one audit event over the hash before it; null where the chain begins.
CREATE FUNCTION hash_audit_event_v1(event audit_event, last_hash bytea) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, public SET timezone = 'UTC'
AS $$
  SELECT sha256(coalesce(last_hash, '') || convert_to((to_jsonb(event) - 'chain_hash')::text, 'UTF8'))
$$;

-- Seals a tenant's events up to the end of one UTC day: each hash covers the row and the hash before it, so that a row
-- changed, slipped in or taken away later breaks the chain (D-29). Uses audit_event_by_tenant_and_time. Answers how many
-- rows it sealed. Runs as the owner (SECURITY DEFINER), because the service roles may not update the trail.
CREATE FUNCTION seal_audit_day_v1(wanted_tenant uuid, wanted_day date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public SET timezone = 'UTC'
AS $$
DECLARE
  event public.audit_event;
  last_hash bytea;
  sealed integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('seal_audit_day' || wanted_tenant::text, 0));
  SELECT chain_hash INTO last_hash FROM public.audit_event
  WHERE tenant_id = wanted_tenant AND chain_hash IS NOT NULL ORDER BY happened_at DESC, id DESC LIMIT 1;
  FOR event IN
    SELECT * FROM public.audit_event
    WHERE tenant_id = wanted_tenant AND chain_hash IS NULL AND happened_at < wanted_day + 1
    ORDER BY happened_at, id
  LOOP
    last_hash := public.hash_audit_event_v1(event, last_hash);
    UPDATE public.audit_event SET chain_hash = last_hash WHERE id = event.id;
    sealed := sealed + 1;
  END LOOP;
  RETURN sealed;
END
$$;

-- The first event whose hash does not follow from its row and the hash before it; null when the chain holds.
-- Security invoker: a service role checks the trail of the tenant it is in.
CREATE FUNCTION find_broken_audit_event_v1(wanted_tenant uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, public
AS $$
  SELECT c.id FROM (
    SELECT e.id, e.happened_at, e.chain_hash,
           public.hash_audit_event_v1(e, lag(e.chain_hash) OVER (ORDER BY e.happened_at, e.id)) AS expected
    FROM public.audit_event e WHERE e.tenant_id = wanted_tenant AND e.chain_hash IS NOT NULL
  ) c WHERE c.chain_hash <> c.expected ORDER BY c.happened_at, c.id LIMIT 1
$$;
