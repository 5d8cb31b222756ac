"""Entity tags in headers."""

from functools import lru_cache


def has_tag(header: bytes, tag: str) -> bool:
    """Whether a list of entity tags has one; weak and strong are the same, quotes do not count.

    >>> has_tag(b'W/"a", "b"', '"a"'), has_tag(b"*", "x"), has_tag(b'"a"', "b")
    (True, True, False)
    """
    listed = [_bare(each) for each in header.decode("latin-1").split(",")]
    return "*" in listed or _bare(tag) in listed


@lru_cache(4096)
def quoted(tag: str) -> bytes:
    """An entity tag as a header says it.

    >>> quoted("abc"), quoted('"abc"')
    (b'"abc"', b'"abc"')
    """
    return f'"{_bare(tag)}"'.encode("latin-1", "replace")


def _bare(tag: str) -> str:
    return tag.strip().removeprefix("W/").strip('"')
