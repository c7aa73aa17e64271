-- Sets the tenant, and a time limit for statements where one is given, until the transaction ends; answers the tenant.
CREATE FUNCTION enter_tenant_v2(wanted_tenant text, timeout_ms text) RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_catalog.set_config('app.tenant_id', wanted_tenant, true);
  IF timeout_ms IS NOT NULL THEN
    PERFORM pg_catalog.set_config('statement_timeout', timeout_ms, true);
  END IF;
  RETURN wanted_tenant;
END
$$;
