"""Sessions that several processes serve: each is a log, and any process makes it again."""
