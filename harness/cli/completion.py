"""What shells complete in command lines of `harness`: suites, cases, runs, formats."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.cli.options import RUNS, runs_directory
from harness.cli.run_options import FAULT_PROFILES, HTTP_PROFILES, TOOL_CHANGES
from mockserver.commands import Completions


def _suites(given: Mapping[str, Any]) -> Iterable[str]:
    """Folders of `fixtures`, and names of registered suites; shells complete other paths."""
    from harness.storage import RegisteredSuites

    names = [each.name for each in RegisteredSuites(_runs_folder(given)).all()]
    folders = sorted(path for path in Path("fixtures").glob("*") if path.is_dir())
    return [*map(str, folders), *names]


def _cases(given: Mapping[str, Any]) -> Iterable[str]:
    from harness.cases import read_suite

    suite = given.get("suite") or given.get("cases")
    return (case.id for case in read_suite(Path(suite)).cases) if suite else ()


def _runs(given: Mapping[str, Any]) -> Iterable[str]:
    names = (path.parent.name for path in _runs_folder(given).glob("*/manifest.json"))
    return ["latest", *sorted(names, reverse=True)]


def _runs_folder(given: Mapping[str, Any]) -> Path:
    return runs_directory(given.get("run_dir") or RUNS)


def _agent_kinds(_given: Mapping[str, Any]) -> Iterable[str]:
    from harness.agents import DRIVERS

    return (f"{name}:" if kind.has_target else name for name, kind in DRIVERS.items())


def _formats(_given: Mapping[str, Any]) -> Iterable[str]:
    from harness.reports.formats import FORMATS

    return FORMATS


COMPLETIONS: Completions = {
    "suite": _suites,
    "cases": _suites,
    "case": _cases,
    "ids": _cases,
    "run": _runs,
    "baseline": _runs,
    "candidate": _runs,
    "resume": _runs,
    "before": _runs,
    "agent": _agent_kinds,
    "profile": lambda _given: HTTP_PROFILES,
    "format": _formats,
    "report": _formats,
    "faults_matrix": lambda _given: (*FAULT_PROFILES, "all", "models"),
    "perturb_tools": lambda _given: (*(each.partition("[")[0] for each in TOOL_CHANGES), "all"),
    "policy": lambda _given: ("all", "majority", "pass_hat:"),
    "barriers": lambda _given: ("warn", "strict", "off"),
    "match": lambda _given: ("method", "host", "path", "query", "headers", "body"),
}
