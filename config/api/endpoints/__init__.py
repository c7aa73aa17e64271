"""The endpoints under /v1, a module a noun. Each translates in, makes one call of a room, translates out."""
