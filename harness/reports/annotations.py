"""Workflow commands of GitHub Actions: what did not pass, beside the file of its case."""

import re
from collections.abc import Iterator

from harness.model import Case, CaseDecision, RunResult, select_trials
from harness.reports.failures import Failure, failures, run_level_reasons
from harness.reports.texts import inert, shorten

MOST = 10
"""So many annotations of a kind GitHub shows for a step."""

_LONGEST = 2000
_FILE = re.compile(r"[^/]\.[A-Za-z]{2,5}$")
_PLACE = re.compile(r"(?::(?P<line>\d+)|#[^:]*)+$")
_KINDS = {"failed": "error", "flaky": "warning", "inconclusive": "warning"}


def github_annotations(result: RunResult) -> str:
    """One command a case that did not pass: `error` for failed ones, `warning` for the others.

    Before them come `error`s for a regression and for what no case shows.

    Beyond the ten of a kind that are shown a `notice` says how many there are more. Nothing in a
    case or a reply can begin a command of its own.
    """
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: RunResult) -> Iterator[str]:
    shown = {"error": 0, "warning": 0}
    found = failures(result)
    for each in run_level_reasons(result):
        yield _command("error", {}, f"exit {each.code}", shorten(each.reason, _LONGEST))
    for failure in found:
        kind = _KINDS[failure.decision.verdict]
        shown[kind] += 1
        if shown[kind] <= MOST:
            yield _command(kind, _place(result, failure.case), _title(failure), _message(failure))
    if more := sum(max(0, count - MOST) for count in shown.values()):
        yield f"::notice::{more} more cases did not pass; the summary lists all {len(found)}"


def _command(kind: str, place: dict[str, str], title: str, message: str) -> str:
    properties = {**place, "title": title}
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {written}::{_data(message)}"


def _title(failure: Failure) -> str:
    decision = failure.decision
    return f"{failure.case.id} {decision.verdict} {decision.passed}/{decision.valid}"


def _message(failure: Failure) -> str:
    classes = ", ".join(failure.classes)
    first = f"{failure.case.title} ({classes})" if classes else failure.case.title
    return shorten("\n".join([first.strip(), *_reasons(failure.decision)]), _LONGEST)


def _reasons(decision: CaseDecision) -> list[str]:
    explained = select_trials(decision.trials, lambda shape: shape.explained)
    reasons = []
    room = _LONGEST  # further ones are cut off
    for trial in explained:
        reasons.append(f"trial {trial.number}: {trial.reason}")
        room -= len(reasons[-1])
        if room < 0:
            break
    return reasons or [decision.reason or decision.verdict]


def _place(result: RunResult, case: Case) -> dict[str, str]:
    """Where the case is written, from the folder that the run was started in.

    A case's source is relative to its suite, and names a line or a JSON pointer behind the file.
    """
    if not case.source:
        return {}
    found = _PLACE.search(case.source)
    file = case.source[: found.start()] if found else case.source
    suite = result.manifest.suite.removeprefix("./")
    folder = suite.rpartition("/")[0] if _FILE.search(suite) else suite.rstrip("/")
    place = {"file": f"{folder}/{file}" if folder not in {"", "."} else file}
    return place | ({"line": found["line"]} if found and found["line"] else {})


def _data(text: str) -> str:
    escaped = inert(text).replace("%", "%25")
    return escaped.replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
