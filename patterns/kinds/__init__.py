"""One folder a type of fact. Each has a `reading` that states the facts of its type which a message holds."""
