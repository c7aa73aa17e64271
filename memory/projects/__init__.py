"""Projects: what holds, what was decided, what contradicts, each with its source and both of its times (SPEC 13)."""
