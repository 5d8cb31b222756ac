"""A troubleshooting agent that knows nothing of the mock server."""
