"""Projects, read for one reply: snapshots, passages of threads, and the bundle that a model gets (SPEC J-2, J-3)."""
