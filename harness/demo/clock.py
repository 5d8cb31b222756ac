"""The time that the agent lives in."""

import os
from datetime import UTC, datetime


def now() -> datetime:
    """The present, or the moment in `SOURCE_DATE_EPOCH` (seconds since 1970), where it is set.

    Runs that must give the same result every time set it.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit():
        return datetime.fromtimestamp(int(given), UTC)
    return datetime.now(UTC)  # noqa: TID251 - the agent lives in the present, whatever answers it
