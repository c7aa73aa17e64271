"""The review console: the queue worked by keyboard, its numbers, and golden cases from corrections (SPEC H-1)."""
