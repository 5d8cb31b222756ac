"""Whether what a case asks for can come from its world, and whether its world is its own."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from harness.documents import Remark
from harness.model import Case, Evidence, Json, JsonObject, TextContains

_SHORTEST = 4


def fold_text(text: str) -> str:
    """NFKC, case folded, everything but letters and digits one space; a space at both ends.

    >>> fold_text("POLICY_LIMIT (402)")
    ' policy limit 402 '
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    return f" {' '.join(words)} "


def differs_by_slip(text: str, other: str) -> bool:
    """Whether texts differ by one slip of the hand: a letter too many, too few, wrong, or swapped.

    Letter case does not matter, and texts of fewer than four letters tell nothing.

    >>> differs_by_slip("getTikcet", "getTicket"), differs_by_slip("user", "users")
    (True, True)
    >>> differs_by_slip("list", "last one")
    False
    """
    one, two = sorted((text.casefold(), other.casefold()), key=len)
    if one == two or len(one) < _SHORTEST or len(two) - len(one) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(one))
    rest, left = one[start:], two[start:]
    if len(one) < len(two):
        return rest == left[1:]
    return rest[1:] == left[1:] or (rest[:2] == left[1::-1] and rest[2:] == left[2:])


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase as whole words.

    >>> contains_phrase("The rollout failed", "OU"), contains_phrase("Check the OU.", "ou")
    (False, True)
    """
    wanted = fold_text(phrase)
    return bool(wanted.strip()) and wanted in fold_text(text)


_WORD = re.compile(r"[^\s,;:\"'()\[\]{}<>|]+")
_TELLING = re.compile(r"[\d/@_.-]|[a-z][A-Z]")
"""What identifiers, paths and addresses have, and plain words do not."""


def ungrounded_markers(
    cases: Iterable[Case], worlds: Mapping[str, JsonObject]
) -> Iterator[tuple[Case, Remark]]:
    """Identifiers that a case asks for and that are nearly, but not quite, in its world.

    What stands nowhere and is like nothing may be made by the agent; it is left alone.

    Args:
        cases: Cases.
        worlds: Case id to merged snapshot.

    Yields:
        A case and a warning for each marker, with what is there instead.
    """
    for case in cases:
        world = worlds.get(case.id)
        wanted = [] if world is None else list(dict.fromkeys(_identifiers(case)))
        if not wanted:
            continue
        told = "\n".join((*_texts(world), *_texts(_other_places(case)))).casefold()
        missing = [marker for marker in wanted if marker.casefold() not in told]
        known = sorted(set(_WORD.findall("\n".join(_texts(world))))) if missing else []
        for marker in missing:
            for other in known:
                if differs_by_slip(marker, other):
                    message = f"the evidence {marker!r} is in no fixture of the case"
                    yield case, Remark(message, [marker], f"did you mean {other!r}?")
                    break


def _identifiers(case: Case) -> Iterator[str]:
    for item in case.expect:
        texts: Sequence[str] = ()
        if isinstance(item, Evidence):
            texts = item.markers
        elif isinstance(item, TextContains):
            texts = item.needles
        for text in texts:
            if _TELLING.search(text) and not re.search(r"\s", text):
                yield text


def _other_places(case: Case) -> Json:
    """What else may hold a value: prompts, files, and what the agent is to write or to ask."""
    rules = [item for item in case.expect if not isinstance(item, Evidence | TextContains)]
    fixtures = case.fixtures
    return [
        [turn.user for turn in case.turns],
        [fixtures.workspace, list(fixtures.workspace.values())],
        [rule.model_dump(mode="json") for rule in rules],
        [call.model_dump(mode="json") for turn in case.reference for call in turn.requests],
        case.request,
    ]


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def idle_overrides(
    cases: Iterable[Case], worlds: Mapping[str, JsonObject], bases: Mapping[str, JsonObject]
) -> Iterator[tuple[Case, Remark]]:
    """Cases whose overrides leave the base as it is.

    Args:
        cases: Cases.
        worlds: Case id to merged snapshot.
        bases: The same, without what the cases put over the base.

    Yields:
        A case and a warning.
    """
    for case in cases:
        names = case.fixtures.overrides
        if names and case.id in worlds and worlds[case.id] == bases.get(case.id):
            named = ", ".join(map(repr, names))
            message = f"the override {named} changes nothing of the base"
            yield case, Remark(message, [*names, "overrides"], "say in it what is different here")


def what_is_tested(case: Case, world: JsonObject | None) -> str:
    """All that decides about a case but its prompt; equal for cases that test the same."""
    rules = {
        json.dumps(item.model_dump(mode="json"), sort_keys=True)
        for item in case.expect
        if item.required
    }
    fixtures = case.fixtures.model_dump(mode="json", exclude={"overrides", "seed"})
    for fault in fixtures["faults"]:
        fault.pop("origin", None)  # names the case
    whole = [sorted(rules), fixtures, world, case.request, len(case.turns), case.variables]
    return json.dumps(whole, sort_keys=True, default=str)


def similar_cases(
    cases: Sequence[Case], worlds: Mapping[str, JsonObject]
) -> Iterator[tuple[Case, Case, bool]]:
    """Pairs of cases that expect the same in the same world.

    Args:
        cases: Cases.
        worlds: Case id to merged snapshot.

    Yields:
        The earlier case, the later one, and whether they also ask the same.
    """
    groups: dict[str, list[Case]] = {}
    for case in cases:
        if any(item.required for item in case.expect):
            groups.setdefault(what_is_tested(case, worlds.get(case.id)), []).append(case)
    for group in groups.values():
        for one, other in combinations(group, 2):
            yield one, other, _folded_prompts(one) == _folded_prompts(other)


def duplicate_cases(
    cases: Sequence[Case], worlds: Mapping[str, JsonObject]
) -> Iterator[tuple[Case, Remark]]:
    """Cases that ask and expect the same as an earlier one, in the same world.

    Args:
        cases: Cases.
        worlds: Case id to merged snapshot.

    Yields:
        A case and a warning.
    """
    told: set[str] = set()
    for one, other, same in similar_cases(cases, worlds):
        if same and other.id not in told:
            told.add(other.id)
            message = f"asks and expects the same as {one.id!r}, in the same world"
            yield other, Remark(message, [], "remove one of the two, or 'repeat' the other")


def _folded_prompts(case: Case) -> list[str]:
    return [fold_text(turn.user) for turn in case.turns]
