"""Settings: `base` (read from the environment), `test`, `production`, and `tuning` (every weight and threshold)."""
