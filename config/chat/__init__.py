"""A conversation for products that have no orchestrator: store, understand, pack, model, store the reply (SPEC B-1)."""
