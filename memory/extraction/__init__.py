"""Batch extraction behind a gate (SPEC X-1 to X-6): a model proposes, deterministic rules decide.

`claims` is the queue. `tasks` and `runs` process it. `model` calls the endpoint. `judging` is the gate. `unproven`
stores candidates and adaptive items. `quality` measures the results and switches extraction off.
"""
