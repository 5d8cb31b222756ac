"""Speed and size, as ratios within one run; run by `make bench`, never by the tests."""
