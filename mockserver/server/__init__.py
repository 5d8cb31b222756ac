"""The ASGI application: dispatch, sessions, journal, faults, control."""
