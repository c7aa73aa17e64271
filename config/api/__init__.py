"""The ways in over HTTP. This package translates requests into calls of the rooms and their answers back."""
