"""Which cases of a suite are run: ids AND category AND tags, then a limit; what tags mean."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from harness.documents import Remark
from harness.errors import HarnessError
from harness.model import Case
from mockserver.model import did_you_mean

CATEGORIES = (
    "policy",
    "dlp",
    "connector",
    "system",
    "enrollment",
    "security",
    "network",
    "devices",
    "integration",
    "extensions",
    "endpoint",
    "browser",
    "auth",
    "events",
    "updates",
)
"""The failure domains of chrome suites, largest first."""


def select(
    cases: Sequence[Case],
    *,
    ids: Iterable[str] = (),
    category: Iterable[str] = (),
    tags: Iterable[str] = (),
    limit: int | None = None,
    empty: bool = False,
) -> tuple[Case, ...]:
    """The cases that every given filter lets through, in suite order; letter case does not matter.

    Args:
        cases: The cases of a suite.
        ids: Ids; each must be there.
        category: Categories, one of which the case has.
        tags: Tags, one of which the case has.
        limit: At most so many, the first ones.
        empty: Whether nothing may be left.

    Raises:
        HarnessError: A value that the suite does not know, or nothing is left.
    """
    given = {"ids": tuple(ids), "category": tuple(category), "tags": tuple(tags)}
    wanted_ids = _known_matches("case", given["ids"], [case.id for case in cases])
    kinds = _known_matches(
        "category", given["category"], [*CATEGORIES, *(case.category for case in cases)]
    )
    labels = _known_matches("tag", given["tags"], [tag for case in cases for tag in case.tags])
    if limit is not None and limit < 1:
        raise HarnessError(f"a limit of {limit} selects no case", hint="give 1 or more")
    found = [
        case
        for case in cases
        if (not wanted_ids or case.id.casefold() in wanted_ids)
        and (not kinds or case.category.casefold() in kinds)
        and (not labels or labels & {tag.casefold() for tag in case.tags})
    ]
    if not found and not empty:
        raise HarnessError(_empty_selection_text(given))
    return tuple(found[:limit])


def _empty_selection_text(filters: Mapping[str, Sequence[str]]) -> str:
    given = [f"{key} {', '.join(values)}" for key, values in filters.items() if values]
    return f"no case is selected by {'; '.join(given)}" if given else "the suite has no cases"


def _known_matches(noun: str, wanted: Iterable[str], known: Sequence[str]) -> set[str]:
    found = {value.strip().casefold(): value.strip() for value in wanted if value.strip()}
    all_known = {value.casefold() for value in known}
    for folded, value in found.items():
        if folded not in all_known:
            raise HarnessError(
                f"unknown {noun} {value!r}", hint=did_you_mean(value, dict.fromkeys(known))
            )
    return set(found)


def count_categories(cases: Iterable[Case]) -> dict[str, int]:
    """How many cases each category has, most first."""
    return dict(Counter(case.category or "(none)" for case in cases).most_common())


def count_tags(cases: Iterable[Case]) -> dict[str, int]:
    """How many cases each tag has, most first."""
    return dict(Counter(tag for case in cases for tag in case.tags).most_common())


def gaps(cases: Iterable[Case]) -> tuple[str, ...]:
    """The failure domains of chrome suites that no case covers."""
    covered = {case.category for case in cases}
    return tuple(name for name in CATEGORIES if name not in covered)


LIFECYCLE: Mapping[str, str] = {
    "new-path": "something that the agent should learn",
    "regression": "a bug that must not come back",
    "customer-failure": "something that went wrong for a customer",
    "coverage-gap": "something no other case looks at",
}
"""Tag to what it says."""

_ALIKE = 0.75
"""How alike a tag and one of these are when the one is a typo of the other, of 1."""


def count_stages(cases: Iterable[Case]) -> dict[str, int]:
    """How many cases bear each of these tags; those that none bears, too."""
    counts = dict.fromkeys(LIFECYCLE, 0)
    for case in cases:
        for tag in {tag.casefold() for tag in case.tags} & counts.keys():
            counts[tag] += 1
    return counts


def misspelt_stages(case: Case) -> Iterator[Remark]:
    """Tags that are nearly one of these.

    Yields:
        A remark for each.
    """
    for tag in case.tags:
        plain = tag.casefold().replace("_", "-").replace(" ", "-")
        near = get_close_matches(plain, LIFECYCLE, n=1, cutoff=_ALIKE)
        if near and tag.casefold() not in LIFECYCLE:
            message = f"the tag {tag!r} is no stage of a case"
            yield Remark(message, [tag], f"did you mean {near[0]!r}?")
