"""Processes that may open no more files and connections: what is said of it, and what shows it."""

import errno

PROBLEM = "the mock server had no descriptors left, and refused requests"
HINT = "raise the limit of open files (ulimit -n), or run less at once"

_SHORT_OF = frozenset({errno.EMFILE, errno.ENFILE})


def is_shortage(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, says that no descriptor was left.

    >>> is_shortage(OSError(errno.EMFILE, "")), is_shortage(OSError(errno.ENOENT, ""))
    (True, False)
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in _SHORT_OF:
            return True
        error = error.__cause__ or error.__context__
    return False
