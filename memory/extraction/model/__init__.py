"""The endpoint of a language model: the question, the client, the answer. Other features ask through it as well."""
