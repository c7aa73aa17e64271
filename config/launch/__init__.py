"""The launcher: embedded servers, their roles and secrets, and the processes of the service, from a bare checkout.

Everything here is the standard library, except `provision` (psycopg, for the roles) and the children it runs.
"""
