"""Why a case was added: four tags that say where it stands in the life of an agent."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from harness.documents import Remark
from harness.model import Case

LIFECYCLE: Mapping[str, str] = {
    "new-path": "something the agent is to learn",
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
