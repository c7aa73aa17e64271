"""Batch extraction behind a gate (SPEC X-1 to X-6): a model proposes, deterministic rules decide."""
