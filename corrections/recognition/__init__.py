"""Recognition: what a reply corrects, from its words and the facts that are known. Pure (SPEC C-1)."""
