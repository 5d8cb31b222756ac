"""Runs of 10,000 and of 100,000 stored trials: reported, rechecked, compared, each in a process.

A million trials fit into 1 GB where a further trial takes 0.85 KB above what the smaller run takes.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from harness.cases import load_suite
from harness.model import Attempt, Reply, TrialRecord
from harness.runner import NewRun, RunSettings, begin_run, read_policy
from tests.benchmarks.figures import Figure
from tests.benchmarks.measured import measured

CASES = 100
FEW, MANY = 100, 1000
"""Trials a case."""
SECONDS, MEGABYTES, KILOBYTES = 90, 100, 0.85
_LISTED = "json,junit,csv,markdown"


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", CASES)
        few, many = (
            dict(_measured_commands(suite, Path(folder) / str(trials), trials))
            for trials in (FEW, MANY)
        )
    further = CASES * (MANY - FEW)
    for name, (seconds, megabytes) in many.items():
        yield Figure(f"{name}, {CASES * MANY:,} stored trials", seconds, SECONDS, "s")
        yield Figure(f"{name}, {CASES * FEW:,} stored trials", few[name][1], MEGABYTES, "MB")
        kilobytes = (megabytes - few[name][1]) * 1024 / further
        yield Figure(f"{name}, a further trial", kilobytes, KILOBYTES, "KB")


def _measured_commands(
    suite: Path, runs: Path, trials: int
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Each command with its seconds and its megabytes at the most."""
    one, other = (_stored(suite, runs, trials, shift) for shift in (0, 1))
    for name, *arguments in (
        ("report", one),
        ("report of each trial", one, "--format", _LISTED),
        ("recheck", one, "--policy", "0.5"),
        ("compare", one, other),  # the other one is decided on the way
    ):
        verb = name.partition(" ")[0].rstrip(",")
        yield name, _measured(verb, *arguments, "--run-dir", str(runs))


def write_suite(folder: Path, count: int) -> Path:
    """Cases that an echo passes."""
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "tenant.json").write_text('{"capturedAt": "2026-11-01T00:00:00Z"}')
    cases = [
        {
            "id": f"S-{number:03}",
            "title": "Says what it was asked",
            "input": f"Say {number}.",
            "expect": {"text": {"contains": [str(number)]}},
        }
        for number in range(count)
    ]
    (folder / "cases.yaml").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    return folder


def _stored(suite: Path, runs: Path, trials: int, shift: int) -> str:
    """A run whose every seventh trial says something else."""
    cases = load_suite(suite).cases
    order = NewRun(
        str(suite), cases, "echo", read_policy("all"), RunSettings(trials=trials), note=str(shift)
    )
    folder = begin_run(order, runs, lambda: datetime(2026, 11, 20, tzinfo=UTC))
    manifest = folder.manifest()
    for case in cases:
        prompt = case.turns[0].user
        reply = Reply(turn=1, prompt=prompt, text=prompt, duration_ms=1.5)
        for number in range(1, trials + 1):
            said = reply if (number + shift) % 7 else reply.model_copy(update={"text": "No."})
            record = TrialRecord(
                run=manifest.run,
                case=case.id,
                case_hash=manifest.cases[case.id],
                number=number,
                outcome="replied",
                started_at="2026-11-20T00:00:00.000Z",
                duration_ms=4.5,
                agent_ms=1.5,
                replies=(said,),
                attempts=(Attempt(turn=1, number=1, duration_ms=1.5),),
                session=f"{manifest.run}-{case.id}-{number}",
            )
            path = folder.path / "trials" / case.id / f"{number}.json"
            path.write_bytes(record.model_dump_json().encode())  # durability is not measured here
    return manifest.run


def _measured(*arguments: str) -> tuple[float, float]:
    seconds, megabytes, code = measured([sys.executable, "-m", "harness", *arguments])
    if code not in {0, 1, 4}:
        raise RuntimeError(f"{arguments[0]} ended with {code}")
    return seconds, megabytes
