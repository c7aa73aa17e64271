"""What became of packs says how sure a fact is: rules, uses, the night, and what people decide (SPEC P-9)."""
