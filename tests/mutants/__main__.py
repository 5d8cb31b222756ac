"""Changes the code in small ways and runs its tests: `python -m tests.mutants`, or `make mutants`.

A sample of mutants is drawn by a seed. Each is made in a copy of the project, where the tests that
know its module are run, then those of its room, and then the slow ones that know it, until one
fails. A mutant that no test notices is a survivor: either a test is missing, or the code does more
than it needs to.
"""

import argparse
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.changes import changes
from tests.mutants.operators import Mutant, mutants
from tests.mutants.rooms import ROOT, files_of, modules

LEAST_KILLED = 0.85
"""The share that is wanted of a whole sample."""

_LEAST_IN_ROOMS = 0.7
"""The share below which no change may bring its rooms. Several rooms are between the two today; a
sample of one of them would fail by chance if it was held against what is wanted."""

_RARE = 0.01
RESULT = ROOT / "build" / "tests" / "mutants.json"
CPU_S = 300
"""CPU seconds that each process of the tests may use: a mutant may never end."""

_NEAR_CPU_S = 90
"""The same of the tests that know its module, which are fewer."""

PATIENCE_S = 600
"""Ends what waits for ever and uses no CPU."""

_COPIED = (
    "mockserver", "harness", "tests", "fixtures", "cassettes", "docs", "pyproject.toml",
    "README.md", "CHANGELOG.md", "Makefile", "constraints.txt", "LICENSE", ".ci", ".github",
)  # fmt: skip
_SUCCESS, _NO_TESTS = 0, 5
_TEST = re.compile(r"(?:FAILED|ERROR) (.+?)(?:\[| - |$)")
"""A test without its parameters, in the line that says what killed a mutant."""


@dataclass(frozen=True)
class Outcome:
    """What the tests made of a mutant.

    Attributes:
        mutant: Which one.
        killer: The test that failed, or how the run ended; empty for a survivor.
    """

    mutant: Mutant
    killer: str


class Copy:
    """A copy of the project, changed by one mutant at a time.

    Args:
        folder: Where it is made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        skipped = shutil.ignore_patterns(".hypothesis", "runs")  # what is compiled comes along
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=skipped)
            elif source.exists():
                shutil.copy2(source, folder / name)

    def try_out(self, mutant: Mutant) -> Outcome:
        """Run the tests with a mutant in place of its original."""
        path = self._folder / mutant.path
        original = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutant.apply(original), encoding="utf-8")
            return Outcome(mutant, self._killer(mutant))
        finally:
            path.write_text(original, encoding="utf-8")

    def _killer(self, mutant: Mutant) -> str:
        near, rest = files_of(mutant.path, self._folder)
        return (
            self.run(near, "not slow", _NEAR_CPU_S)
            or self.run(rest, "not slow")
            or self.run(near, "slow")
        )

    def run(self, files: Sequence[str], marked: str = "", cpu_s: int = CPU_S) -> str:
        """Run test files until a test fails; says which, or an empty string.

        Args:
            files: The files, or tests in them.
            marked: Which of their tests, as pytest's `-m` has it; empty for all.
            cpu_s: CPU seconds that each process may use.
        """
        if not files:
            return ""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", marked, "--tb=no"]
        command += ["-p", "no:cacheprovider", *files]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._folder),
            "PYTHONDONTWRITEBYTECODE": "1",  # what was compiled of a mutant is of no other
        }
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=environment, capture_output=True, text=True,
                check=False, timeout=PATIENCE_S, preexec_fn=partial(_limit_cpu, cpu_s),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "waits for ever"
        if done.returncode in {_SUCCESS, _NO_TESTS}:
            return ""
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0] if failed else f"pytest ended with status {done.returncode}"


def _limit_cpu(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


@cache
def _all() -> tuple[Mutant, ...]:
    return tuple(
        mutant
        for module in modules()
        for mutant in mutants(module, (ROOT / module).read_text(encoding="utf-8"))
    )


def sample(count: int, seed: int, only: Sequence[str] = ()) -> list[Mutant]:
    """Mutants that are drawn by a seed, in the order of the draw.

    Args:
        count: How many; all where there are no more.
        seed: Of the draw.
        only: Parts of the paths of the modules that are wanted; none stands for all.
    """
    found = [mutant for mutant in _all() if not only or any(part in mutant.path for part in only)]
    return random.Random(seed).sample(found, min(count, len(found)))


def try_all(
    chosen: Sequence[Mutant], jobs: int, *, seconds: float = math.inf, verbose: bool = False
) -> list[Outcome]:
    """Try mutants in several copies of the project at once.

    Args:
        chosen: The mutants.
        jobs: How many copies.
        seconds: When no further mutant is begun.
        verbose: Print what killed each mutant, and not only the survivors.

    Raises:
        SystemExit: A test that killed a mutant fails without one, too.
    """
    end = time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory(prefix="understudy-mutants-") as folder,
        ThreadPoolExecutor(jobs) as pool,
    ):
        copies: SimpleQueue[Copy] = SimpleQueue()
        for made in pool.map(lambda number: Copy(Path(folder, str(number))), range(jobs)):
            copies.put(made)

        def tried(mutant: Mutant) -> Outcome | None:
            if time.monotonic() > end:
                return None
            copy = copies.get()
            try:
                outcome = copy.try_out(mutant)
            finally:
                copies.put(copy)
            if verbose or not outcome.killer:
                word = f"killed by {outcome.killer}" if outcome.killer else "SURVIVED"
                _print(f"{mutant}  {word}")
            return outcome

        outcomes = [one for one in pool.map(tried, chosen) if one]
        copy = copies.get()
        for killers in killers_of(outcomes):
            if copy.run(killers) and (failed := copy.run(killers)):  # chance fails once
                raise SystemExit(f"this fails without a mutant: {failed}")
        return outcomes


def killers_of(outcomes: Sequence[Outcome]) -> Iterator[list[str]]:
    """What must pass without a mutant: the tests that failed, then the files that did not end.

    >>> one = Mutant("harness/verdicts/exits.py", 1, 0, 1, "a", "b")
    >>> list(killers_of([Outcome(one, "FAILED tests/a.py::test_b[1 - 2] - AssertionError: c")]))
    [['tests/a.py::test_b']]
    >>> next(killers_of([Outcome(one, "pytest ended with status -24")]))[0]
    'tests/harness/verdicts/test_exits.py'
    """
    tests = {found[1] for one in outcomes if (found := _TEST.match(one.killer))}
    if tests:
        yield sorted(tests)
    for one in outcomes:
        if one.killer and not _TEST.match(one.killer):
            yield from filter(None, files_of(one.mutant.path))


def main(arguments: Sequence[str] | None = None) -> int:
    """Try a sample of mutants; 1 where too few are killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="How many mutants.")
    parser.add_argument("--seed", type=int, help="Of the sample; 0, or with --changed the commit.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="How many at once.")
    parser.add_argument(
        "--only", nargs="*", default=[], help="Only modules with one of these in their paths."
    )
    parser.add_argument(
        "--changed", action="store_true", help="Only rooms that differ from main or a release."
    )
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="When no further mutant is begun."
    )
    parser.add_argument("--list", action="store_true", help="Print the sample, run nothing.")
    parser.add_argument("--verbose", action="store_true", help="Print what killed each mutant.")
    options = parser.parse_args(arguments)
    seed, only = options.seed or 0, options.only
    if options.changed:
        changed = changes(ROOT)
        seed, only = changed.seed if options.seed is None else seed, changed.rooms
        places = ", ".join(changed.rooms) or "the whole code"
        _print(f"drawn from {places}; compared with {changed.since}")
    chosen = sample(options.count, seed, only)
    if options.list:
        for mutant in chosen:
            _print(str(mutant))
        return 0
    outcomes = try_all(chosen, options.jobs, seconds=options.seconds, verbose=options.verbose)
    _keep(outcomes)
    killed, tried = sum(bool(one.killer) for one in outcomes), len(outcomes)
    least = fewest(tried) if options.changed else math.ceil(LEAST_KILLED * tried)
    untried = len(chosen) - tried
    _print(
        f"{killed} of {tried} mutants of seed {seed} killed ({killed / max(1, tried):.1%});"
        f" fewer than {least} would be a failure"
        + (f"; {untried} were not tried in {options.seconds:.0f} s" if untried else "")
    )
    return 0 if killed >= least else 1


def fewest(tried: int) -> int:
    """How many of a small sample are killed at least, but for one sample of a hundred.

    That is where the tests kill as many of all mutants as those of every room are to.

    >>> fewest(40), fewest(4), fewest(0)
    (21, 1, 0)
    """
    chance, killed = 0.0, 0
    while killed <= tried:
        lost = tried - killed
        chance += math.comb(tried, killed) * _LEAST_IN_ROOMS**killed * (1 - _LEAST_IN_ROOMS) ** lost
        if chance > _RARE:
            return killed
        killed += 1
    return tried


def _keep(outcomes: Sequence[Outcome]) -> None:
    """Leave for `make health` which mutants of each module were killed."""
    kept: dict[str, list[bool]] = {}
    for one in outcomes:
        kept.setdefault(one.mutant.path, []).append(bool(one.killer))
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(kept), encoding="utf-8")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
