"""Emulates the Cloud Logging API."""
