"""One run: reading, calling the model, writing, its log, and judging stored answers again (SPEC X-1, X-2, M-4)."""
