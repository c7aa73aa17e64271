"""What happened, for a product's other systems: events in the transaction of the change, and who wants to hear of them.

Events hold ids and codes, no words (SPEC A-2, D-55). `config/webhooks` sends them.
"""
