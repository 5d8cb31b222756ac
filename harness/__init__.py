"""Drives agents against the fixture server and verifies what they did."""

__version__ = "0.1.0"
