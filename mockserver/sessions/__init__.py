"""Isolated worlds, and what belongs to each: journal, faults, credentials, recordings, clock."""
