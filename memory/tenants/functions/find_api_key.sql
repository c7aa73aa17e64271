-- Finds the key behind a request before its tenant is known. Uses the unique index on key_hash. Run as the owner
-- (SECURITY DEFINER): the caller must already hold the key to name its hash, and sees that one row.
CREATE FUNCTION find_api_key(wanted bytea)
RETURNS TABLE (
  key_id uuid, tenant_id uuid, tenant_slug text, timezone text, scopes text[], requests_per_minute integer,
  expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
  SELECT k.id, k.tenant_id, t.slug::text, t.timezone::text, k.scopes::text[], k.requests_per_minute,
         k.expires_at, k.revoked_at, k.last_used_at
  FROM public.api_key k JOIN public.tenant t ON t.id = k.tenant_id
  WHERE k.key_hash = wanted
$$;
