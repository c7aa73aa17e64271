-- Finds the key behind a request before its tenant is known. Uses api_key_secret_is_unique_among_working_keys. Run as the owner
-- (SECURITY DEFINER): the caller must already hold the key to name its hash, and sees that one row. A key for one user
-- is no key any more once that user is being erased (D-40).
CREATE FUNCTION find_api_key_v2(wanted bytea)
RETURNS TABLE (
  key_id uuid, tenant_id uuid, tenant_slug text, timezone text, scopes text[], requests_per_minute integer,
  expires_at timestamptz, user_id uuid, user_external_id text, user_position smallint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
  SELECT k.id, k.tenant_id, t.slug::text, t.timezone::text, k.scopes::text[], k.requests_per_minute,
         k.expires_at, k.user_id, u.external_id::text, k.user_position
  FROM public.api_key k JOIN public.tenant t ON t.id = k.tenant_id
       LEFT JOIN public.memory_user u ON u.id = k.user_id AND u.fenced_at IS NULL
  WHERE k.key_hash = wanted AND k.revoked_at IS NULL AND (k.user_id IS NULL OR u.id IS NOT NULL)
$$;
