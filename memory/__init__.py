"""Room `memory`: RAW messages, facts with their evidence, the action log, forgetting, tenants, sealed values.

Knows nothing of search and packs. What must reach the rooms to its left goes through `settings.INGEST_STEPS` or
`memory.registries`.

Face:
    bodies dates disks epistemics errors ids models registries tracing types
    admin: owners
    consents: purposes selectors services types
    database: queries statements
    episodes: accesses anchoring contents cutting entities layers models selectors storing types
    erasure: deadlines erasers generation nightly requests selectors tasks types
    extraction: configuration types work_list
    extraction.judging: recipes tastes
    extraction.model: openai_client
    extraction.quality: figures intervals samples switches
    extraction.unproven: candidates items merging promotion showing
    facts: ledger reading writing
    fence: consents user_lock
    imports: requests rows types
    kept: filters namespaces reading storing types
    privacy: callbacks models requests selectors types worker
    outbox: models selectors types
    outbox.services: deliveries endpoints events
    profile: actions facts messages summary types
    projects: errors metrics questions types words
    projects.modelled: asking proposals
    projects.selectors: decisions facts projects register sources
    projects.services: decisions facts history links locking projects questions resolving runs writeback
    retention: selectors services
    sealing: errors keyring keystore text_hashes vault
    selectors: actions figures messages pages sources users versions
    services: answered_requests drafts edits exports fact_inputs facts forgets pauses sources
    storing: messages reading types
    tenants: access admin_base command database_errors errors models people scope selectors sql types
    tenants.services: audit keys logins tenants
    visits: selectors services types
    withdrawals: jobs selectors tasks
"""
