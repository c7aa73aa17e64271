"""What is never to be offered."""
