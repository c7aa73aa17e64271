"""MCP over streamable HTTP at /mcp: tools for models, over the calls of the API. What a model reports is hearsay."""
