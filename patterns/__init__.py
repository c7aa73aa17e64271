"""Rules and vocabulary: reads text and returns readings. It knows no users, messages or facts."""
