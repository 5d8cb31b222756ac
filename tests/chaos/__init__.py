"""Faults on purpose: programs are struck at seeded moments, and held against a calm run.

`make chaos` runs all moments and prints the table; `python -m tests.chaos --help` tells the rest.
"""
