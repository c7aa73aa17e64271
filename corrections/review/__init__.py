"""People judge samples of what memory learnt, and turn corrections into test cases (SPEC H-1, X-4, C-2)."""
