"""Visits of the person whose memory it is: a link that is used once becomes a session for one user (SPEC A-4)."""
