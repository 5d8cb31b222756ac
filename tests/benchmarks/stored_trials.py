"""A run of 100,000 stored trials: reported, rechecked and compared, each in its own process."""

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

CASES, TRIALS = 100, 1000
SECONDS, MEGABYTES = 60, 1000


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", CASES)
        runs = Path(folder) / "runs"
        names = [_stored(suite, runs, shift) for shift in (0, 1)]
        for verb, *arguments in (
            ("recheck", names[0], "--policy", "0.5"),
            ("recheck", names[1], "--policy", "0.5"),
            ("compare", *names),
        ):
            seconds, megabytes = _measured(verb, *arguments, "--run-dir", str(runs))
            yield Figure(f"{verb}, {CASES * TRIALS:,} stored trials", seconds, SECONDS, "s")
            yield Figure(f"{verb}, memory", megabytes, MEGABYTES, "MB")


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


def _stored(suite: Path, runs: Path, shift: int) -> str:
    """A run whose every seventh trial says something else."""
    cases = load_suite(suite).cases
    order = NewRun(
        str(suite), cases, "echo", read_policy("all"), RunSettings(trials=TRIALS), note=str(shift)
    )
    folder = begin_run(order, runs, lambda: datetime(2026, 11, 20, tzinfo=UTC))
    manifest = folder.manifest()
    for case in cases:
        prompt = case.turns[0].user
        reply = Reply(turn=1, prompt=prompt, text=prompt, duration_ms=1.5)
        for number in range(1, TRIALS + 1):
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
