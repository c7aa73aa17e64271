"""Who says what of whom, and whether it is meant: questions, reports, recitals, persons, what is taken back."""
