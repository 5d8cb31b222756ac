"""What the harness's own process ran out of while an agent ran in it.

An agent that shares the process meets its shortages first: memory, threads, descriptors. Nobody can
tell from inside whose fault they are, so they say nothing about the agent.
"""

import errno
from collections.abc import Iterator

_BY_NUMBER = {
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
    errno.ENOMEM: "memory",
    errno.ENOBUFS: "memory",
}
_NO_THREAD = "can't start new thread"
"""The only sign that Python gives of it."""


def shortage_behind(error: BaseException) -> str | None:
    """What was short where an error comes from: `memory`, `threads`, `open files`.

    Args:
        error: With its causes, and with what was being handled when it was raised.
    """
    return next(filter(None, map(_shortage, _chain(error))), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _shortage(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError):
        return _BY_NUMBER.get(error.errno or 0)
    return "threads" if isinstance(error, RuntimeError) and _NO_THREAD in str(error) else None
