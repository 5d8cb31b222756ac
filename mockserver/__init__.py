"""A standalone fixture server that emulates the APIs an agent calls."""

__version__ = "0.1.0"
