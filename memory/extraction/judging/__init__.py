"""The gate: checks proposals against the user's own words (SPEC X-3, D-24). Pure."""
