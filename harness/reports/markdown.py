"""Markdown for the summary page of a CI job."""

import html

from harness.model import RunResult
from harness.reports.comparison import versus_markdown
from harness.reports.failures import Failure, class_counts, failures, remedies
from harness.reports.figures import (
    always_failing,
    by_category,
    custody_lines,
    failure_lines,
    figures,
    flaky,
    is_synthetic,
    made_up_answers,
    recoveries,
    retries,
    statistics_lines,
    witness_lines,
)
from harness.reports.forks import fork_lines

_LONGEST_CELL = 300


def markdown_report(result: RunResult) -> str:
    """Headline, categories, failures with their first reason, and what can be done."""
    sections = [
        _headline(result),
        _categories(result),
        _failures(failures(result)),
        _figures(result),
        _lists(result),
        _forks(result),
        "\n".join(f"- {_cell(line)}" for line in failure_lines(result)),
        _section("Witnesses", witness_lines(result)),
        _section("Made-up answers", made_up_answers(result).lines),
        _remedies(result),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _forks(result: RunResult) -> str:
    """The trees of forks, as nested lists."""
    lines = [
        f"{'  ' * line.depth}- {_cell(line.text)}: **{line.result}** (run `{line.node.run}`)"
        for line in fork_lines(result.forks)
    ]
    return "\n".join(["### Forks", "", *lines]) if lines else ""


def _headline(result: RunResult) -> str:
    total, manifest = figures(result), result.manifest
    lines = [f"## Run {_cell(manifest.run)}", ""]
    if is_synthetic(result):
        lines.append("**SYNTHETIC: no agent was asked; this says nothing about quality.**  ")
    if result.interrupted:
        lines.append("**INTERRUPTED: trials are missing.**  ")
    lines += [
        f"Suite `{_code(manifest.suite)}`, agent `{_code(manifest.agent)}`  ",
        f"Cases passed: **{total.case_rate()}**  ",
        f"Trials passed: **{total.trial_rate()}**",
    ]
    if manifest.note:
        lines += ["", f"> {_cell(manifest.note)}"]
    if result.exit_reasons:
        lines += [
            "",
            *(f"- exit {each.code}: {_cell(each.reason)}" for each in result.exit_reasons),
        ]
    return "\n".join(lines)


def _categories(result: RunResult) -> str:
    rows = [
        f"| {_cell(name)} | {each.case_rate()} | {each.trial_rate()} |"
        for name, each in by_category(result).items()
    ]
    return "\n".join(["| Category | Cases passed | Trials passed |", "|---|---|---|", *rows])


def _failures(found: list[Failure]) -> str:
    if not found:
        return ""
    rows = [
        f"| {_cell(each.case.id)} | {_cell(each.case.title)} | {each.decision.verdict} "
        f"{each.decision.passed}/{each.decision.valid} | {', '.join(each.classes)} "
        f"| {_cell(each.decision.reason)} |"
        for each in found
    ]
    head = ["### Not passed", "", "| Case | Title | Verdict | Class | First reason |"]
    return "\n".join([*head, "|---|---|---|---|---|", *rows])


def _figures(result: RunResult) -> str:
    """What the run comes to, and how it did beside its baseline."""
    lines = [f"- {_cell(line)}" for line in statistics_lines(result)]
    told = ["\n".join(["### Figures", "", *lines])] if lines else []
    if result.comparison is not None:
        told.append(versus_markdown(result.comparison).rstrip())
    return "\n\n".join(told)


def _lists(result: RunResult) -> str:
    named = {
        "Failure classes": [f"{name} {count}" for name, count in class_counts(result).items()],
        "Always failing": always_failing(result),
        "Flaky": flaky(result),
        "Retried": [f"{name} {count}x" for name, count in retries(result).items()],
        "Faults never met": list(result.faults_not_met),
        "Recordings never asked for": list(result.recordings_unused),
        "Recordings that may not fit": list(result.recordings_doubtful),
        "Live addresses tried": list(result.addresses_refused),
        **{f"Recovered from {each.profile}": [each.text] for each in recoveries(result)},
        "Evidence": custody_lines(result),
        "Canaries that died": [
            f"{each.when}: {each.error}" for each in result.canaries if each.error
        ],
    }
    return "\n".join(
        f"- {title}: {_cell(', '.join(names))}" for title, names in named.items() if names
    )


def _section(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    return "\n".join([f"### {title}", "", *(f"- {_cell(line)}" for line in lines)])


def _remedies(result: RunResult) -> str:
    lines = [
        f"1. {remedy.name}: {remedy.what} ({', '.join(classes)})."
        for remedy, classes in remedies(result)
    ]
    if not lines:
        return ""
    return "\n".join(["### What can be done", "", *lines])


def _cell(text: str) -> str:
    """Text that no longer means anything to Markdown tables or HTML."""
    short = text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
    return html.escape(" ".join(short.split()), quote=False).replace("|", "\\|")


def _code(text: str) -> str:
    return _cell(text).replace("`", "'")
