"""Processes that may open no more files and connections: what is said of it, and what shows it."""

from mockserver.errors import OPEN_FILES, shortage_behind

PROBLEM = "the mock server had no descriptors left, and refused requests"
HINT = "raise the limit of open files (ulimit -n), or run less at once"


def is_shortage(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, says that no descriptor was left.

    >>> is_shortage(OSError(24, "")), is_shortage(OSError(2, "")), is_shortage(None)
    (True, False, False)
    """
    return error is not None and shortage_behind(error) == OPEN_FILES
