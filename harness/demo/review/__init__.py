"""A service that reviews training material by rules alone: no model, no key.

`python -m harness.demo.review --port 9020` serves `POST /v1/review`. It knows nothing of the mock
server and nothing of the harness.
"""

from harness.demo.review.flaws import FLAWS, NO_FLAWS, ReviewFlaws
from harness.demo.review.response import Finding, ReviewResponse
from harness.demo.review.reviewing import review
from harness.demo.review.service import application

__all__ = [
    "FLAWS",
    "NO_FLAWS",
    "Finding",
    "ReviewFlaws",
    "ReviewResponse",
    "application",
    "review",
]
