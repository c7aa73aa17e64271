"""Room `memory`: RAW messages, facts with their evidence, the action log, forgetting, tenants, sealed values.

Knows nothing of search and packs. What must reach the rooms to its left goes through `settings.INGEST_STEPS` or
`memory.registries`.
"""
