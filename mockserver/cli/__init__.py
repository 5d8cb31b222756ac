"""The mockserver command."""
