"""What a tenant keeps of its users and what for, and what each user said to it (SPEC A-4, T-1)."""
