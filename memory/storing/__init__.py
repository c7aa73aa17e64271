"""The first flow: message in -> facts (SPEC section 3).

`messages.store_messages` is the way in: it opens a batch with one statement, lets the ingest steps decide, and stores.
A new capability is an `IngestStep` (`types.py`) of its own, named in `settings.INGEST_STEPS`.
"""
