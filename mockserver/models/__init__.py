"""Language models as a session serves them: scripts, and the wire formats of the providers."""
