"""What the trials of a run touched of the worlds that they were in, and what no trial did."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

from harness.trials.values import Frozen


class FixtureCoverage(Frozen):
    """What of one collection of the fixtures was ever sent to an agent, and what a case names.

    Attributes:
        collection: Its name in the snapshot.
        fields: How many fields its resources have, counted by path.
        never_read: Those of which no answer held a value.
        never_asserted: Those that no expectation of a case names, nor a value of them.
        read: Those of which an answer held a value.
    """

    collection: str
    fields: int
    never_read: tuple[str, ...] = ()
    never_asserted: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    @property
    def untouched(self) -> tuple[str, ...]:
        """The fields that were never read and that no case names."""
        loose = set(self.never_asserted)
        return tuple(path for path in self.never_read if path in loose)


class RunCoverage(Frozen):
    """What the trials of a run touched of their worlds.

    Attributes:
        version: Of this file format.
        fixtures: By collection, those with the most untouched fields first.
        tools: The tools that the worlds have.
        never_called: Those that no trial called.
        unknown_in: The runs that this one was merged of and of which nothing is known; where there
            are any, all else is empty, as they may have touched what the others did not.
    """

    version: Literal[1] = 1
    fixtures: tuple[FixtureCoverage, ...] = ()
    tools: tuple[str, ...] = ()
    never_called: tuple[str, ...] = ()
    unknown_in: tuple[str, ...] = ()


def untouched_first(fixtures: Iterable[FixtureCoverage]) -> tuple[FixtureCoverage, ...]:
    """Collections in the order in which they are looked at."""
    return tuple(sorted(fixtures, key=lambda each: (-len(each.untouched), each.collection)))


def joined_coverage(runs: Mapping[str, RunCoverage | None]) -> RunCoverage:
    """What several runs touched together: a field is read where one of them read it.

    Args:
        runs: The id of each run, and what it touched; None where that was not looked at.
    """
    parts = [part for part in runs.values() if part is not None]
    unknown = [(run,) if part is None else part.unknown_in for run, part in runs.items()]
    if any(unknown):
        return RunCoverage(unknown_in=tuple(chain.from_iterable(unknown)))
    by_name: dict[str, list[FixtureCoverage]] = {}
    for each in chain.from_iterable(part.fixtures for part in parts):
        by_name.setdefault(each.collection, []).append(each)
    return RunCoverage(
        fixtures=untouched_first(_joined(name, several) for name, several in by_name.items()),
        tools=tuple(dict.fromkeys(chain.from_iterable(part.tools for part in parts))),
        never_called=_everywhere([(part.tools, part.never_called) for part in parts]),
    )


def _joined(name: str, several: Sequence[FixtureCoverage]) -> FixtureCoverage:
    every = [(*each.read, *each.never_read) for each in several]
    paths = dict.fromkeys(chain.from_iterable(every))
    unread = _everywhere(
        [(all_of_it, each.never_read) for all_of_it, each in zip(every, several, strict=True)]
    )
    loose = _everywhere(
        [(all_of_it, each.never_asserted) for all_of_it, each in zip(every, several, strict=True)]
    )
    return FixtureCoverage(
        collection=name,
        fields=len(paths),
        never_read=unread,
        never_asserted=loose,
        read=tuple(path for path in paths if path not in set(unread)),
    )


def _everywhere(parts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[str, ...]:
    """What is lacking in each part that has it at all."""
    touched = {name for known, lacking in parts for name in set(known) - set(lacking)}
    return tuple(
        dict.fromkeys(name for _, lacking in parts for name in lacking if name not in touched)
    )
