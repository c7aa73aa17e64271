"""What is shown of one user: facts with their words, history and origin; conversations; the action log. Reads only.

Pages for staff and for the user themselves draw it; neither asks the tables.
"""
