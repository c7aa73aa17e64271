"""OpenDSR 2.0 under /opendsr/v2: privacy desks ask for access, portability and erasure, and hear how far it is.

Answers and callbacks are signed with the installation's certificate. Requests themselves are `memory/privacy`.
"""
