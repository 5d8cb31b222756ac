"""The harness command."""
