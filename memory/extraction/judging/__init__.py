"""The gate: what of a proposal the user's own words bear out (SPEC X-3, D-24). Pure."""
