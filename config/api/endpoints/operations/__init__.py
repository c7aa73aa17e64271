"""Long work under one id and in one shape, whatever it is (SPEC A-3)."""
