"""Snapshots of a suite: resolved from their layers, imported into tables, checked, described.

Nothing here knows of HTTP or sessions, so that commands use it without a server.
"""
