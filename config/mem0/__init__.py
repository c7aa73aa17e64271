"""mem0's API under /mem0: its platform (v1 and v3) and the dialect of its self-hosted server. A memory is a message.

Ids are stable (D-57): a memory has the id of the first version of its message and shows the newest. Delete means
forget.
"""
