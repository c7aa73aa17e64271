"""Batch extraction behind a gate (SPEC X-1 to X-6): a model proposes, deterministic rules decide.

`tasks` and `runs` do the work, `quality` measures and switches it, `unproven` keeps what is no fact, `model` asks the
endpoint, `judging` is the gate. `claims` is the work list.
"""
