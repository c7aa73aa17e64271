"""From a question to ranked hits: what it asks for, candidates, fusion, boosts. `retrieval.pipeline` calls it."""
