"""What a trial left behind, and what was decided of it: the values under every check."""
