"""APIs that a suite declares in files, with state behind them."""
