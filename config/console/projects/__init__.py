"""Projects in the console: what holds, what was decided, what contradicts, and a context explained."""
