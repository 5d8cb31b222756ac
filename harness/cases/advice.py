"""Warnings: what is allowed in a case and probably not meant."""

from collections.abc import Iterator

from harness.cases.folder import SuiteFolder
from harness.cases.lifecycle import misspelt_stages
from harness.cases.words import folded, says
from harness.model import Case, Evidence

LONG_FIXTURE = 64 * 1024
"""Bytes of a plain-text fixture above which an agent is likely to miss what matters in it."""

_LONG_MARKER = 80
_GENERIC = frozenset(
    map(
        folded,
        (
            *("admin", "chrome", "check", "connector", "data", "device", "diagnosis", "dlp"),
            *("error", "event", "evidence", "fix", "google", "hypotheses", "issue", "next"),
            *("next steps", "org", "ou", "policy", "problem", "rule", "setting", "settings"),
            *("step", "steps", "the", "token", "user", "users"),
        ),
    )
)


def advice(case: Case, folder: SuiteFolder) -> Iterator[str]:
    """What an author should look at again, one sentence each.

    Yields:
        A sentence for each warning.
    """
    for item in case.expect:
        if isinstance(item, Evidence):
            yield from _leading(case, item)
            yield from _markers(item)
    yield from _long(case, folder)
    yield from misspelt_stages(case)
    if folder.has_override(case.id) and not _uses(case, case.id):
        yield f"the override folder {case.id!r} exists, but the case does not use it"


def _leading(case: Case, item: Evidence) -> Iterator[str]:
    asked = case.turns[: item.turn] if item.turn else case.turns  # told before it has to show it
    for marker in item.markers:
        if any(says(turn.user, marker) for turn in asked):
            yield f"the prompt gives the required evidence {marker!r} away"


def _markers(item: Evidence) -> Iterator[str]:
    for marker in item.markers:
        plain = folded(marker)
        if plain in _GENERIC or len(plain.replace(" ", "")) < 2:
            yield f"the evidence marker {marker!r} is too generic: any reply may hold it"
        elif len(marker) > _LONG_MARKER:
            yield f"the evidence marker {marker[:40]!r}... is too specific to be in a reply"


def _long(case: Case, folder: SuiteFolder) -> Iterator[str]:
    for path in (folder.path / name for name in case.fixtures.files):
        size = path.stat().st_size
        if size > LONG_FIXTURE:
            yield f"{folder.relative(path)} has {size >> 10} KiB: keep fixtures short and focused"


def _uses(case: Case, name: str) -> bool:
    return any(used == name or used.startswith(f"{name}/") for used in case.fixtures.overrides)
