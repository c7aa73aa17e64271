-- Sets the tenant, and a time limit for statements where one is given, until the transaction ends; answers the tenant. With a key
-- the transaction goes on only if that key of the tenant still works: the service remembers who a key belongs to, and has the
-- database confirm it in the exchange that it needs anyway. Uses api_key's primary key, under its policy.
CREATE FUNCTION enter_tenant_v1(wanted_tenant text, timeout_ms text, wanted_key uuid, wanted_hash bytea) RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_catalog.set_config('app.tenant_id', wanted_tenant, true);
  IF timeout_ms IS NOT NULL THEN
    PERFORM pg_catalog.set_config('statement_timeout', timeout_ms, true);
  END IF;
  IF wanted_key IS NOT NULL AND NOT EXISTS (
    SELECT FROM public.api_key k
    WHERE k.id = wanted_key AND k.tenant_id = wanted_tenant::uuid AND k.key_hash = wanted_hash AND k.revoked_at IS NULL)
  THEN
    RAISE EXCEPTION 'the key does not work' USING ERRCODE = 'UN401';
  END IF;
  RETURN wanted_tenant;
END
$$;
