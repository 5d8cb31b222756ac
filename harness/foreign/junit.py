"""JUnit XML as pytest, Maven, Jest and this harness write it: a test is a case."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

from typing_extensions import override

from harness.checks.scores import VERDICT
from harness.errors import HarnessError
from harness.foreign.results import (
    ImportedResults,
    ImportedTrial,
    ReadOptions,
    read_policy_text,
    rfc3339,
    status_facts,
)
from harness.foreign.source import SourceFile
from harness.model import Outcome, Score

DEEPEST = 32
"""Elements within each other."""
_RERUNS = ("flakyFailure", "flakyError", "rerunFailure", "rerunError", "rerun")
_TRIAL = re.compile(r"trial (\d{1,6})")
_OWN_TRIAL = re.compile(
    r"(?P<status>[a-z_]+), (?P<seconds>\d+(\.\d+)?) s(: (?P<reason>.*))?", re.DOTALL
)
_XML_START = re.compile(rb"^(\xef\xbb\xbf)?\s*<(\?xml|testsuite|!--)")


def recognises(source: SourceFile) -> bool:
    """Whether a file is XML that begins as JUnit does."""
    return bool(_XML_START.match(source.content[:1000])) and b"<testsuite" in source.content


class _Builder(Xml.TreeBuilder):
    """Builds no tree that is too deep, and takes no document type: entities could grow."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def doctype(self, *_named: Any) -> None:
        raise ValueError("it has a document type, which results need not and which can do harm")

    @override
    def start(self, tag: str, attrs: Any) -> Xml.Element:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(f"its elements stand more than {DEEPEST} deep")
        return super().start(tag, attrs)

    @override
    def end(self, tag: str) -> Xml.Element:
        self._depth -= 1
        return super().end(tag)


def read(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the tests of a file.

    `failure` is a failed trial; `error` (a fixture or the runner broke) is an infrastructure error;
    `skipped` is skipped. Reruns, and tests of one name, are trials of one case.

    Raises:
        HarnessError: It is no JUnit XML, or has no test.
    """
    del options
    root = _parse(source)
    suites = [root] if root.tag == "testsuite" else list(root.iter("testsuite"))
    first = suites[0] if suites else root
    properties = _properties(first)
    trials = [
        trial
        for suite in suites
        for test in suite.findall("testcase")
        for trial in _trials(test, suite)
    ]
    if not trials:
        raise source.error("has no test in it")
    return ImportedResults(
        suite=properties.get("suite") or root.get("name") or first.get("name") or source.name,
        agent=properties.get("agent", ""),
        tool="understudy" if _is_ours(first) else "",
        started_at=rfc3339(properties.get("started") or first.get("timestamp")),
        note=properties.get("note", ""),
        policy=read_policy_text(properties.get("policy")),
        trials=trials,
    )


def _parse(source: SourceFile) -> Xml.Element:
    parser = Xml.XMLParser(target=_Builder())  # noqa: S314 (the builder refuses document types)
    try:
        parser.feed(source.content)
        root: Xml.Element = parser.close()
    except (Xml.ParseError, ValueError, LookupError) as error:
        hint = "was it written to its end?" if isinstance(error, Xml.ParseError) else ""
        raise source.error(f"cannot be read as JUnit XML: {error}", hint) from None
    if root.tag not in {"testsuites", "testsuite"}:
        raise source.error(f"is no JUnit XML: its root is <{root.tag}>")
    return root


def _is_ours(suite: Xml.Element) -> bool:
    return {"run", "suite", "agent"} <= _properties(suite).keys()


def _properties(element: Xml.Element) -> Mapping[str, str]:
    return {
        each.get("name", ""): each.get("value") or each.text or ""
        for each in element.findall("properties/property")
    }


def _trials(test: Xml.Element, suite: Xml.Element) -> Iterator[ImportedTrial]:
    if _is_ours(suite):
        yield from _own_trials(test, suite)
        return
    if not (name := test.get("name")):
        raise HarnessError("a <testcase> has no name")
    group = test.get("classname") or suite.get("name") or ""
    known: dict[str, Any] = {
        "case": f"{group}.{name}" if group else name,
        "category": group,
        "started_at": rfc3339(test.get("timestamp") or suite.get("timestamp")),
    }
    for again in (each for tag in _RERUNS for each in test.findall(tag)):
        yield ImportedTrial(**known, scores=(_verdict(passed=False, of=again),))
    yield _last_trial(test, known)


def _last_trial(test: Xml.Element, known: dict[str, Any]) -> ImportedTrial:
    known = known | {"duration_ms": _seconds(test.get("time")) * 1000}
    outcomes: tuple[tuple[str, Outcome], ...] = (("error", "infra_error"), ("skipped", "skipped"))
    for tag, outcome in outcomes:
        found = test.find(tag)
        if found is not None:
            return ImportedTrial(**known, outcome=outcome, error=_message(found) or tag)
    failure = test.find("failure")
    if failure is None:
        return ImportedTrial(**known, scores=(Score(name=VERDICT, passed=True),))
    return ImportedTrial(**known, scores=(_verdict(passed=False, of=failure),))


def _own_trials(test: Xml.Element, suite: Xml.Element) -> Iterator[ImportedTrial]:
    """The trials of a case that this harness reported, by the properties of the test.

    Yields:
        Each by its number.
    """
    properties = _properties(test)
    id, _, title = test.get("name", "").partition(" ")
    for name, value in properties.items():
        number, told = _TRIAL.fullmatch(name), _OWN_TRIAL.fullmatch(value)
        if number and told:
            try:
                outcome, error, scores = status_facts(told["status"], told["reason"] or "")
            except KeyError:
                continue
            yield ImportedTrial(
                case=id,
                number=int(number[1]),
                title=title,
                category=suite.get("name", ""),
                tags=tuple(each for each in properties.get("tags", "").split(", ") if each),
                policy=read_policy_text(properties.get("policy")),
                outcome=outcome,
                error=error,
                duration_ms=float(told["seconds"]) * 1000,
                scores=scores,
            )


def _verdict(*, passed: bool, of: Xml.Element) -> Score:
    return Score(name=VERDICT, passed=passed, reason=_message(of))


def _message(element: Xml.Element) -> str:
    said = element.get("message") or (element.text or "").strip().rpartition("\n")[2]
    return said.strip() or element.get("type") or ""


def _seconds(value: str | None) -> float:
    try:
        return max(0.0, float((value or "0").replace(",", "")))
    except ValueError:
        return 0.0
