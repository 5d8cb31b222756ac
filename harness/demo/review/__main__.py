"""`python -m harness.demo.review`."""

from harness.demo.review.service import main

main()
