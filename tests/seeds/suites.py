"""The suites as their projects keep them: each loads and runs, and no case is left out."""

import json
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from harness.cli.main import app
from tests.seeds.rows import Row

_VERDICTS = frozenset({0, 1, 5})
"""Exit codes of a run in which every case was put to the agent."""


def rows(chrome: Path, review: Path, sre: Path) -> Iterator[Row]:
    """Each suite linted and run with an agent that only echoes."""
    registry = json.loads((chrome / "evals/registry.json").read_bytes())
    sets = [json.loads(file.read_bytes()) for file in sorted((sre / "eval").glob("*.test.json"))]
    for name, path, total in (
        ("chrome: cases", chrome / "evals", len(registry["cases"])),
        ("review: cases", review / "eval/cases", len([*(review / "eval/cases").glob("*.json")])),
        ("sre: cases of EvalSets", sre / "eval", sum(map(_cases, sets))),
    ):
        yield from of_suite(name, path, total)


def of_suite(name: str, path: Path, total: int) -> Iterator[Row]:
    """One suite of so many cases: loaded, and run."""
    yield _linted(name, path, total)
    yield _run(name, path, total)


def _cases(written: object) -> int:
    return len(written["eval_cases"] if isinstance(written, dict) else written)  # type: ignore[arg-type]


def _linted(name: str, path: Path, total: int) -> Row:
    from harness.cases import read_suite

    suite = read_suite(path)
    wrong = tuple(str(problem) for problem in suite.errors[:5])
    return Row(f"{name} that load", len(suite.cases), total, wrong)


def _run(name: str, path: Path, total: int) -> Row:
    runs = path.parent / "runs"
    told = CliRunner().invoke(app, ["run", str(path), "--agent", "echo", "--run-dir", str(runs)])
    folder = max(runs.iterdir())
    report = json.loads((folder / "report.json").read_bytes())
    judged = sum(bool(case["trials"]) and case["verdict"] != "invalid" for case in report["cases"])
    wrong = () if told.exit_code in _VERDICTS else (f"exit code {told.exit_code}",)
    return Row(f"{name} that run (exit {told.exit_code})", 0 if wrong else judged, total, wrong)
