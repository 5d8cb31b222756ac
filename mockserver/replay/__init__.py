"""Plays cassettes: in order within a key, no read from the other side of a write; pure."""
