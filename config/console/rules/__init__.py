"""The rule console: rules and words, from a draft to everybody, tried before and taken back after (SPEC I-2, D-27)."""
