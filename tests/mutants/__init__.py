"""Mutation tests: one small change at a time to a sample of the code, and the tests of its room."""
