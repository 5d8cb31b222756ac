"""Headers as they were sent: in order, with their case, and with those that came twice."""

from collections.abc import Iterable

from mockserver.model import Header


def header(headers: Iterable[Header], name: str) -> str:
    """The first value of a header, an empty string when there is none; case does not count.

    >>> header([("Content-Type", "text/html")], "content-type")
    'text/html'
    """
    wanted = name.lower()
    return next((value for given, value in headers if given.lower() == wanted), "")


def header_values(headers: Iterable[Header], name: str) -> tuple[str, ...]:
    """Every value of a header, in order."""
    wanted = name.lower()
    return tuple(value for given, value in headers if given.lower() == wanted)


def without(headers: Iterable[Header], names: Iterable[str]) -> tuple[Header, ...]:
    """The headers but for those of these names.

    >>> without([("Age", "1"), ("X", "2"), ("age", "3")], ["AGE"])
    (('X', '2'),)
    """
    unwanted = {name.lower() for name in names}
    return tuple(item for item in headers if item[0].lower() not in unwanted)


def with_header(headers: Iterable[Header], name: str, value: str) -> tuple[Header, ...]:
    """The headers with one value for a name: in the place of the first, else at the end.

    >>> with_header([("content-length", "1"), ("X", "2")], "Content-Length", "3")
    (('content-length', '3'), ('X', '2'))
    """
    given = tuple(headers)
    wanted = name.lower()
    places = [place for place, item in enumerate(given) if item[0].lower() == wanted]
    if not places:
        return (*given, (name, value))
    first = places[0]
    changed = (*given[:first], (given[first][0], value), *given[first + 1 :])
    return tuple(item for place, item in enumerate(changed) if place not in places[1:])
