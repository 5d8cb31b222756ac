"""The reports by name, and the results of replays without what differs between two replays."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from harness.model import RunManifest, RunResult
from harness.reports.annotations import github_annotations
from harness.reports.badge import badge_json, badge_svg
from harness.reports.csv_tables import (
    checks_csv,
    checks_csv_parts,
    checks_parquet,
    trials_csv,
    trials_csv_parts,
    trials_parquet,
)
from harness.reports.html import html_report
from harness.reports.inspect_log import inspect_report
from harness.reports.json_report import json_parts, json_report
from harness.reports.junit import junit_parts, junit_report
from harness.reports.markdown import markdown_report
from harness.reports.otel_traces import otel_report
from harness.reports.promptfoo_results import promptfoo_report
from harness.reports.svg import CHARTS, standalone
from mockserver.plugins import Table, guarded, of_kind

Report = Callable[[RunResult], str | bytes]


Parts = Callable[[RunResult], Iterator[str]]
Content = str | bytes | Iterator[str]
"""A report, or the parts of its text."""

PARTS: Mapping[Report, Parts] = {
    json_report: json_parts,
    junit_report: junit_parts,
    trials_csv: trials_csv_parts,
    checks_csv: checks_csv_parts,
}
"""Reports with lines for each trial, to what makes the same text in parts."""


def make_content(report: Report, result: RunResult) -> Content:
    """A report, in parts where it has lines for each trial."""
    return PARTS.get(report, report)(result)


def chart_report(name: str) -> Report:
    """A chart as a file of its own; an empty text where it has nothing to show."""
    _, draw = CHARTS[name]

    def report(result: RunResult) -> str:
        drawn = draw(result.statistics) if result.statistics else ""
        return standalone(drawn) if drawn else ""

    return report


_OWN: Mapping[str, Mapping[str, Report]] = {
    "html": {"report.html": html_report},
    "junit": {"junit.xml": junit_report},
    "markdown": {"summary.md": markdown_report},
    "csv": {"trials.csv": trials_csv, "checks.csv": checks_csv},
    "json": {"report.json": json_report},
    "charts": {f"charts/{name}.svg": chart_report(name) for name in CHARTS},
    "inspect": {"inspect.eval": inspect_report},
    "promptfoo": {"promptfoo.json": promptfoo_report},
    "otel": {"otel.json": otel_report},
    "parquet": {"trials.parquet": trials_parquet, "checks.parquet": checks_parquet},
    "badge": {"badge.svg": badge_svg, "badge.json": badge_json},
    "github": {"annotations.txt": github_annotations},
}


def _accept(name: str, provided: Any) -> Mapping[str, Report]:
    """The report of a plug-in."""
    files = of_kind(provided, dict, "dict of file names to functions")
    own = {file: other for other, each in _OWN.items() for file in each}
    for file, report in files.items():
        if not isinstance(file, str) or not _FILE.fullmatch(file):
            raise ValueError(f"{file!r} is no name of a file")
        if file in own:
            raise ValueError(f"{file} is a file of the report {own[file]!r}")
        if not callable(report):
            raise TypeError(
                f"{file} is made by an object of type {type(report).__name__}, no function"
            )
    if not files:
        raise ValueError("it provides no file")
    return {file: guarded(report, name, FORMATS.group) for file, report in files.items()}


_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+")

FORMATS: Table[Mapping[str, Report]] = Table("understudy.reports", _OWN, _accept)
"""Name to the files it is made of; a report that is empty is not written."""


_NOT_IN_NAMES = {"version", "run", "started_at", "note"}
"""Fields of a manifest that do not belong to a replay's name. A new field of `RunManifest` changes
the name of every replay, even by its default, unless it stands here."""


def reproducible(result: RunResult) -> RunResult:
    """The result of a replay under a name that tells what was replayed, not when and where.

    Any other result is left as it is.
    """
    if not result.manifest.options.get("replay"):
        return result
    named = {"run": replay_name(result.manifest), "started_at": ""}
    manifest = result.manifest.model_copy(update=named)
    return result.model_copy(update={"manifest": manifest, "folder": "", "place": ""})


def replay_name(manifest: RunManifest) -> str:
    """A name that two runs of the same agent over the same cases have in common.

    >>> manifest = RunManifest(run="a", suite="s", agent="null", cases={}, trials={})
    >>> replay_name(manifest) == replay_name(manifest.model_copy(update={"run": "b"}))
    True
    """
    asked = manifest.model_dump(mode="json", exclude=_NOT_IN_NAMES)
    digest = hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return f"replay-{digest[:12]}"
