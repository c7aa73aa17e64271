"""The first flow: message in -> facts. `memory.services.messages` runs it; the steps are listed in settings."""
