"""The Logging query language: read, and compiled to a test of log entries."""
