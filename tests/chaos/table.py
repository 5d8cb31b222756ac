"""The subjects, the moments among them, and the table."""

import shutil
import sys
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

from tests.chaos import captures, indexes, runs, shared, stores
from tests.chaos.subjects import Found, Row, Striker, Subject, back_in_service

_SUBJECTS = (runs.SUBJECT, stores.SUBJECT, captures.SUBJECT, indexes.SUBJECT, shared.SUBJECT)
SUBJECTS: Mapping[str, Subject] = {each.name: each for each in _SUBJECTS}
"""By name; a new one is a module of this package and a line here."""

HEAD = ("subject", "strike", "moments", "losses", "differences", "back after: median, most")


class UnknownStrikeError(Exception):
    """None of the subjects can be struck like that."""


def strike_all(
    folder: Path,
    names: Sequence[str],
    moments: int,
    random: Random,
    strikes: Collection[str] = (),
) -> list[Row]:
    """Strike each subject in each of its ways in turn, until so many moments passed, or Ctrl-C.

    Args:
        folder: An empty folder.
        names: The subjects.
        moments: How many strikes in all.
        random: Where the moments are drawn from.
        strikes: Only these.

    Raises:
        UnknownStrikeError: One of them is none.
    """
    with ExitStack() as stack:
        ways: list[tuple[Row, Striker]] = []
        known: set[str] = set()
        for number, name in enumerate(names):
            place = folder / str(number)
            place.mkdir()
            opened = stack.enter_context(SUBJECTS[name].open(place))
            known |= opened.keys()
            ways += [
                (Row(name, strike), striker)
                for strike, striker in opened.items()
                if not strikes or strike in strikes
            ]
        for strike in strikes:
            if strike not in known:
                raise UnknownStrikeError(
                    f"no strike {strike!r}; there are: {', '.join(sorted(known))}"
                )
        for number in range(moments):
            row, striker = ways[number % len(ways)]
            place = folder / f"moment-{number}"
            place.mkdir()
            try:
                found = _strike(striker, place, random, row)
            except KeyboardInterrupt:  # the table of what was done is told nevertheless
                break
            row.found.append(found)
            bad = "" if not (found.losses or found.differences) else "  <<<"
            sys.stderr.write(f"{number + 1}/{moments} {found.what}{bad}\n")
            for line in (*found.losses, *found.differences):
                sys.stderr.write(f"    {line}\n")
            sys.stderr.flush()
            if not bad:
                shutil.rmtree(place, ignore_errors=True)
    return [row for row, _ in ways]


def _strike(striker: Striker, folder: Path, random: Random, row: Row) -> Found:
    """One moment; one that comes to no end of its own is a difference, and the others go on."""
    try:
        return striker(folder, random)
    except Exception as error:  # noqa: BLE001  (whatever it was, the table has to tell it)
        where = traceback.extract_tb(error.__traceback__)[-1]
        told = f"{type(error).__name__} in {where.name}, line {where.lineno}: {error}"
        return Found(f"{row.subject}, {row.strike}", (), (told,))


def table(rows: Sequence[Row]) -> str:
    """A Markdown table with a line for each kind of strike, and the sums."""
    cells = [row.cells for row in rows if row.found]
    sums = tuple(str(sum(int(line[column]) for line in cells)) for column in (2, 3, 4))
    back = back_in_service([found for row in rows for found in row.found])
    lines = [HEAD, tuple("---" for _ in HEAD), *cells, ("all", "", *sums, back)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
