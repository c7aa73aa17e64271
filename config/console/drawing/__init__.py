"""Pictures that the server draws: bars, columns, spans. Pure; no script."""
