"""Versions of the files of a run: an older one is brought up to date when it is read."""

from collections.abc import Callable, Mapping

from harness.errors import HarnessError
from harness.model import Json

CURRENT: Mapping[str, int] = {"manifest": 1, "trial": 1, "decisions": 2}
"""The version in which each kind of file is written."""


def _decisions_with_their_terms(value: Json) -> Json:
    """Version 1 was the bare list: it did not say what had been decided under."""
    return {"version": 2, "policy": None, "cases": None, "decisions": value}


MIGRATIONS: Mapping[tuple[str, int], Callable[[Json], Json]] = {
    ("decisions", 1): _decisions_with_their_terms,
}
"""Kind and version to the step that makes the next version of it."""


def up_to_date(kind: str, value: Json) -> Json:
    """What a file holds, as if it had been written now.

    Args:
        kind: One of `CURRENT`.
        value: What it holds.

    Raises:
        HarnessError: It was written by a later version of this program.
    """
    version = _version(value)
    if version > CURRENT[kind]:
        raise HarnessError(
            f"version {version} of a {kind} file is not known; this program knows up to"
            f" {CURRENT[kind]}",
            hint="a newer understudy wrote it: install that one",
        )
    while version < CURRENT[kind]:
        value = MIGRATIONS[kind, version](value)
        version += 1
    return value


def _version(value: Json) -> int:
    found = value.get("version", 1) if isinstance(value, dict) else 1
    return found if isinstance(found, int) and found >= 1 else 1
