"""Purposes of a tenant, and what its users say to them."""
