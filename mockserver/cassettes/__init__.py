"""Cassettes: how requests are matched, how recordings are replayed, how files hold them."""
