"""Histories that nobody here wrote: a directory of decision records and its Git history become decisions (D-53)."""
