"""Finding what the user once said: the derived index, search, the context pack and its receipt.

Face:
    configuration mentions models pipeline reasons types
    explaining: picture replay
    index: backlog outages waiting
    kept: searching
    knowledge: errors models settings
    knowledge.answers: asking drafting modelling receipts types
    knowledge.entities: resolving types
    knowledge.graph: lookups queries
    knowledge.ingest: types
    knowledge.planning: editing phrases plans reading switches
    knowledge.schemas: schema
    knowledge.search: searching types
    knowledge.selectors: corpora entities neighbours work_list
    knowledge.services: corpora ingesting registry removing
    pack: budget fact_words token_counters
    projects: bundle candidates diffs monitoring normalising reading snapshots
    receipts: reading
    replies: answers feedback judging selectors
    search: metadata questions stages statement
"""
