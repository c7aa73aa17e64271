"""The words by which the steps join what they found: rows asked for by name, which are no vocabulary.

A word of the vocabulary is known for what it says; a word listed here is only looked for where its list is asked for.
"""
