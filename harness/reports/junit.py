"""JUnit XML, for CI systems that list tests: a suite a category, a test a case."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree as Xml

from pydantic_core import to_json

from harness.errors import Exit
from harness.model import Case, CaseDecision, ExitReason, RunResult
from harness.reports.failures import case_classes, run_level_reasons, trial_classes
from harness.reports.figures import UNCATEGORISED, by_category

_ALL = {"pass": "all"}
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def junit_report(result: RunResult) -> str:
    """The run as JUnit XML.

    A case that failed or is flaky is a `failure`, an inconclusive one an `error`, a skipped one
    `skipped`; trials that failed in a case that passed all the same are `flakyFailure`s, as CI
    systems know them from reruns. What the trials came to is in `system-out`, what the run was
    asked for in the `properties` of the suites. Times are seconds. Characters that XML cannot hold
    are written as escapes. A regression, and what no case shows (a lost server, an interruption),
    is in a suite of its own, `run`: no run is all green that exits with another code than 0.
    """
    cases = {case.id: case for case in result.cases}
    taken: dict[str, dict[int, float]] = {case.id: {} for case in result.cases}
    for each in result.facts:
        taken[each.case][each.number] = each.duration_ms / 1000
    root = Xml.Element("testsuites", name=_clean(result.manifest.suite))
    for category in by_category(result):
        suite = Xml.SubElement(root, "testsuite", name=_clean(category))
        _add_properties(suite, _run_properties(result))
        inside = [
            decision
            for decision in result.decisions
            if (cases[decision.case].category or UNCATEGORISED) == category
        ]
        for decision in inside:
            _add_case(suite, cases[decision.case], decision, taken[decision.case])
        _count(suite)
    if reasons := run_level_reasons(result):
        suite = Xml.SubElement(root, "testsuite", name="run")
        for reason in reasons:
            _add_reason(suite, reason)
        _count(suite)
    _total(root)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, "unicode") + "\n"


def _add_case(
    suite: Xml.Element, case: Case, decision: CaseDecision, seconds: Mapping[int, float]
) -> None:
    test = Xml.SubElement(
        suite,
        "testcase",
        classname=suite.get("name", ""),
        name=_clean(f"{case.id} {case.title}".strip()),
        time=f"{sum(seconds.values()):.3f}",
    )
    if case.source:
        test.set("file", _clean(case.source))
    _add_properties(test, _about(case, decision, seconds))
    reason = _clean(decision.reason or decision.verdict)
    classes = ", ".join(case_classes(decision))
    if decision.verdict in {"failed", "flaky"}:
        Xml.SubElement(test, "failure", message=reason, type=classes).text = _reasons(decision)
    elif decision.verdict == "inconclusive":
        kind = classes or decision.verdict
        Xml.SubElement(test, "error", message=reason, type=kind).text = _reasons(decision)
    elif decision.verdict == "skipped":
        Xml.SubElement(test, "skipped", message=reason)
    else:
        _add_flaky(test, decision)
    Xml.SubElement(test, "system-out").text = _trials(decision)


def _add_reason(suite: Xml.Element, each: ExitReason) -> None:
    name = f"exit {each.code}"
    test = Xml.SubElement(suite, "testcase", classname="run", name=name, time="0.000")
    kind = "failure" if each.code in {Exit.GATE_FAILED, Exit.REGRESSION} else "error"
    Xml.SubElement(test, kind, message=_clean(each.reason), type=name)


def _run_properties(result: RunResult) -> dict[str, str]:
    manifest = result.manifest
    return {
        "run": manifest.run,
        "suite": manifest.suite,
        "agent": manifest.agent,
        "started": manifest.started_at,
        "note": manifest.note,
        "policy": "" if manifest.policy == _ALL else to_json(manifest.policy).decode(),
    }


def _about(case: Case, decision: CaseDecision, seconds: Mapping[int, float]) -> dict[str, str]:
    policy = case.policy.model_dump_json(by_alias=True, exclude_none=True) if case.policy else ""
    return {
        "verdict": decision.verdict,
        "trials passed": f"{decision.passed}/{decision.valid}",
        "tags": ", ".join(case.tags),
        "policy": policy,
        **{
            f"trial {each.number}": f"{each.status}, {seconds.get(each.number, 0):.3f} s"
            + (f": {each.reason}" if each.reason else "")
            for each in decision.trials
        },
    }


def _add_properties(element: Xml.Element, values: Mapping[str, str]) -> None:
    """Those that are not empty."""
    properties = Xml.SubElement(element, "properties")
    for name, value in values.items():
        if value:
            Xml.SubElement(properties, "property", name=name, value=_clean(value))


def _add_flaky(test: Xml.Element, decision: CaseDecision) -> None:
    for trial in decision.trials:
        if trial.status in {"fail", "agent_error"}:
            message = _clean(trial.reason)
            kind = ", ".join(trial_classes(trial))
            Xml.SubElement(test, "flakyFailure", message=message, type=kind)


def _reasons(decision: CaseDecision) -> str:
    lines = []
    for trial in decision.trials:
        found = [
            f"{check.kind}: {check.reason}"
            for check in trial.checks
            if check.required and check.status in {"fail", "not_evaluated"}
        ]
        lines += [f"trial {trial.number}: {each}" for each in found or [trial.reason] if each]
    return _clean("\n".join(lines))


def _trials(decision: CaseDecision) -> str:
    states = ", ".join(f"{trial.number} {trial.status}" for trial in decision.trials)
    return f"{decision.verdict}: {decision.passed}/{decision.valid} valid trials passed ({states})"


def _count(suite: Xml.Element) -> None:
    tests = suite.findall("testcase")
    suite.set("tests", str(len(tests)))
    for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(plural, str(sum(test.find(tag) is not None for test in tests)))
    suite.set("time", f"{sum(float(test.get('time', 0)) for test in tests):.3f}")


def _total(root: Xml.Element) -> None:
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, 0)) for suite in root)))
    root.set("time", f"{sum(float(suite.get('time', 0)) for suite in root):.3f}")


def _clean(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
