"""Kept items: JSON documents that an app keeps for a user at a namespace path. Never evidence, never a fact."""
