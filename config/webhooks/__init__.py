"""Sending events to the addresses that want them, by Standard Webhooks 1.0.

Which events there are, and when each is due, is `memory/outbox`.
"""
