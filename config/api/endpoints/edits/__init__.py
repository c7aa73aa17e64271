"""One message or fact by its id: read, changed, forgotten or closed, and a message's versions (SPEC A-3)."""
