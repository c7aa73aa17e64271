"""One run: what it reads, asks and writes, its log, and stored answers judged again (SPEC X-1, X-2, M-4)."""
