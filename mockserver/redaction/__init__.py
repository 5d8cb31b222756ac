"""Replaces secrets by pseudonyms of the same shape, and finds those that are left; pure."""
