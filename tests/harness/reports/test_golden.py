"""Every report of one run in whole. To write them anew: python -m tests.harness.reports.test_golden

The files hold no secret and nothing that differs between two machines; what a change of a report
comes to is seen in their difference.
"""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from harness.model import Budget, ExpectedCall, Policy, RunResult, TextContains, ToolCalls
from harness.reports import FORMATS
from harness.reports.console import console_report
from harness.statistics import summarize
from tests.harness.example_run import CASES, example_run
from tests.harness.records import case, decided, manifest
from tests.harness.reports.test_exports import talk, unpacked

GOLDEN = Path(__file__).with_name("golden")
TALK = case(
    Budget(tokens=5),
    TextContains(needles=("done",), required=False),
    TextContains(needles=("x",), required=False),
    ToolCalls(calls=(ExpectedCall(name="look"), ExpectedCall(name="told", args={"a": 1}))),
    title="Talk",
    tags=("a", "b"),
    policy=Policy.model_validate({"rate": 0.5}),
)  # fmt: skip


def run() -> RunResult:
    """The example and a talk with tool calls, requests and figures of tokens."""
    cases = (*CASES, TALK)
    records = [*example_run().records, *talk().records]
    asked = manifest([each.id for each in cases], note="golden", started_at="2025-01-01T00:00:00Z")
    made = decided(asked, cases, records, folder="runs/run-1")
    return made.model_copy(update={"statistics": summarize(made.decisions, made.facts)})


def written() -> Iterator[tuple[str, str]]:
    made = run()
    yield "console.txt", console_report(made, verbose=True)
    yield "console.ansi", console_report(made, color=True, width=80)
    for files in FORMATS.values():
        for name, report in files.items():
            content = report(made)
            if name.endswith(".json"):
                yield name, _pretty(json.loads(content))
            elif name == "inspect.eval":
                assert isinstance(content, bytes)
                members = {at: json.loads(each) for at, each in unpacked(content).items()}
                yield "inspect.json", _pretty(members)
            elif isinstance(content, str) and not name.endswith(".html"):
                yield name.replace("/", "-"), content


def test_what_is_packed_has_no_date_of_its_own() -> None:
    report = FORMATS["inspect"]["inspect.eval"](run())
    assert isinstance(report, bytes)
    with zipfile.ZipFile(io.BytesIO(report)) as archive:
        assert {each.date_time for each in archive.infolist()} == {(2000, 1, 1, 0, 0, 0)}


def _pretty(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def test_the_reports_of_a_small_run_are_as_they_were() -> None:
    found = dict(written())
    assert found.keys() == {each.name for each in GOLDEN.iterdir()}
    for name, content in found.items():
        assert content == (GOLDEN / name).read_text(encoding="utf-8"), name


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, content in written():
        (GOLDEN / name).write_text(content, encoding="utf-8")
