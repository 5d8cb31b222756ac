"""What answers a call of a session: stubs, recordings, the state, what a schema alone can tell."""
