"""Readers of JSON, texts, binary formats and tokens: they find the values, callers replace them."""
