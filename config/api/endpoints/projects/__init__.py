"""Projects over the API (API.md, Projects): bodies, answers, and views by what they are about."""
