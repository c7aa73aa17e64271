"""What the user says is wrong: its recognition, its log and its effects; rates by language (SPEC section 7)."""
