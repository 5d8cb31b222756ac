"""Records live traffic; the only part that talks to live APIs."""
