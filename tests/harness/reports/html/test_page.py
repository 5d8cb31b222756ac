import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from harness.errors import Exit
from harness.model import (
    Attempt,
    Cluster,
    Comparison,
    ExitReason,
    Reply,
    RunResult,
    TextContains,
    TrialFacts,
    TrialRecord,
    TrialStatus,
    WorkspaceFile,
)
from harness.model.statistics import LatencyFigures
from harness.reports.html import html_report, page
from harness.reports.html.page import (
    Tile,
    _clock,
    banner,
    choose_trials,
    details,
    findings,
    tiles,
)
from harness.reports.html.templates import content_hash
from harness.statistics import Outcomes, compare, summarize
from mockserver.model import Journal
from mockserver.model.journal import Miss
from tests.harness.example_run import example_run, good_run, synthetic_run
from tests.harness.records import (
    call,
    case,
    case_decision,
    decided,
    entry,
    manifest,
    record,
    reply,
    result,
)

HOSTILE = (
    "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\x00\u202e]]>{{ 7*7 }}"
)
VOID = {"meta", "br", "input"}
GOLDEN = Path(__file__).with_name("page.golden.html")


class Reading(HTMLParser):
    """Elements and attributes of a page; every element is closed in its place."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    @override
    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    @override
    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    @override
    def handle_data(self, data: str) -> None:
        self.text += data


def with_figures(run: RunResult, **more: Any) -> RunResult:
    return run.model_copy(update={"statistics": summarize(run.decisions, run.facts), **more})


def full_record(said: str = "no") -> TrialRecord:
    entries = (
        entry("directory.users.get", 1, params={"userKey": said}, response_ref="r"),
        entry("", 2, status=404, path="/x", miss=Miss(blame="agent_error", reason=said)),
        entry("tools.list", 3, fault="case", ignored=("a",), after_close=True, body={"a": said}),
    )
    answer = reply(
        said, call("list", status="error", a=said), rounds=2, finish="stop", metadata={"a": said},
        data={"b": said}, http_status=200, first_byte_ms=3, duration_ms=1200,
    )  # fmt: skip
    return record(
        answer,
        case="A",
        error=said,
        journal=Journal(entries=entries, bodies={"r": said}),
        state_diff={"users": {"added": {said: {"name": said}}}},
        attempts=(Attempt(turn=1, number=1, error=said),),
        files={said: WorkspaceFile(size=3, text=said), "b.bin": WorkspaceFile(size=9)},
        exit_code=1,
        stderr_tail=said,
    )


def full_run(said: str = "no") -> RunResult:
    wanted = TextContains(needles=("zebra",))
    cases = [case(wanted, id="A", title=said, category=said, tags=(said,), source="a.md")]
    asked = manifest(["A"], note=said, agent=said, suite=said, policy={"pass": "all"})
    return with_figures(decided(asked, cases, [full_record(said)], folder="runs/run-1"))


def test_a_page_is_whole_and_loads_nothing() -> None:
    """CEPR-15"""
    read = Reading(html_report(with_figures(example_run())))
    assert not read.tags & {"link", "img", "iframe", "object", "base"}
    assert not [name for name, _ in read.attributes if name.startswith("on") or name == "style"]
    assert all(value.startswith("#") for name, value in read.attributes if name in {"href", "src"})
    (policy,) = [value for _, value in read.attributes if value.startswith("default-src 'none'")]
    assert "unsafe" not in policy


def test_the_policy_allows_the_script_and_the_style_of_the_page_alone() -> None:
    written = html_report(good_run())
    for name in ("style", "script"):
        (text,) = re.findall(rf"<{name}>(.*?)</{name}>", written, re.DOTALL)
        assert f"{name}-src {content_hash(text)}" in html.unescape(written)


def test_every_link_leads_to_a_place_on_the_page() -> None:
    read = Reading(html_report(with_figures(example_run())))
    places = {value for name, value in read.attributes if name == "id"}
    links = {value.removeprefix("#") for name, value in read.attributes if name == "href"}
    assert links <= places
    assert "trial-EC-002-1" in links


def test_what_matters_is_there() -> None:
    """CEP-83: the note stands on the page, as in every other report."""
    text = Reading(html_report(full_run("lynx"))).text
    assert Reading(html_report(full_run("lynx"))).text.count("lynx") > 5
    for part in (
        "A quality gate failed", "the reply lacks 'zebra'", "directory.users.get", "agent error",
        "What the agent changed on the server", "attempt 1 failed", "Workspace at the end",
        "Exit code 1", "end of stderr", "structured answer", "status 200", "missing text",
        "What can be done", "missing text in 1 case", "after the end", "fault",
    ):  # fmt: skip
        assert part in text, part


def test_hostile_texts_are_inert_wherever_they_stand() -> None:
    written = html_report(full_run(HOSTILE))
    read = Reading(written)
    assert "img" not in read.tags
    assert "alert(1)" not in "".join(re.findall("<script.*?</script>", written, re.DOTALL))
    assert "\x1b" not in written
    assert "\u202e" not in written
    assert "{{ 7*7 }}" in read.text


def test_credentials_are_not_shown() -> None:
    written = html_report(full_run("Bearer abcdefgh12345678 ya29.a0AfH6SMBx1234567890"))
    assert "abcdefgh12345678" not in written
    assert "a0AfH6SMBx" not in written


def test_the_page_of_a_small_run_is_as_it_was() -> None:
    """To write it anew: python -m tests.harness.reports.html.test_page"""
    assert without_style(html_report(full_run("lynx"))) == GOLDEN.read_text(encoding="utf-8")


def without_style(written: str) -> str:
    """Style, script and their hashes have tests of their own."""
    text = re.sub(r"<(style|script)>.*?</\1>\n", "", written, flags=re.DOTALL)
    return re.sub(r"sha256-[^&]*", "sha256-...", text)


@pytest.mark.parametrize(
    ("clock", "tile"),
    [
        ({"n": 0}, None),
        ({"n": 2, "censored": 2}, Tile("Latency", "n/a", "2 of 2 timed out")),
        ({"n": 1, "max": 0.0, "p50": 0.0, "p95": 0.0}, None),
        ({"n": 1, "max": 7.0, "p50": 7.0, "p95": 7.0}, Tile("Latency", "7.0 ms", "")),
        ({"n": 2, "max": 9.0, "p50": 7.0, "p95": 9.0}, Tile("Latency", "7.0 ms", "slowest 9.0 ms")),
        ({"n": 19, "max": 9.0, "p50": 7.0, "p95": 9.0},
         Tile("Latency", "7.0 ms", "slowest 9.0 ms")),
        ({"n": 20, "max": 9.0, "p50": 7.0, "p95": 8.0}, Tile("Latency", "7.0 ms", "p95 8.0 ms")),
        ({"n": 20, "max": 9.0, "p50": 7.0, "censored": 3},
         Tile("Latency", "7.0 ms", "3 of 20 timed out")),
    ],
)  # fmt: skip
def test_a_clock_is_a_tile_where_it_tells_something(
    clock: dict[str, Any], tile: Tile | None
) -> None:
    assert _clock("Latency", LatencyFigures(**clock)) == tile


def test_the_same_run_gives_the_same_bytes() -> None:
    assert html_report(full_run()) == html_report(full_run())


def test_a_run_without_figures_is_shorter_and_whole() -> None:
    text = Reading(html_report(good_run())).text
    assert "Every gate passed" in text
    assert "Charts" not in text
    assert "Figures of each case" not in text


def test_states_of_the_run_are_loud() -> None:
    assert "Synthetic: no agent was asked" in html_report(synthetic_run())
    assert "Interrupted: trials are missing." in html_report(example_run(interrupted=True))


def test_a_trial_whose_record_is_gone_says_so() -> None:
    run = good_run()
    gone = run.model_copy(update={"records": decided(run.manifest, (), ()).records})
    assert "The record of this trial is not there." in html_report(gone)


def against(before: tuple[int, int], after: tuple[int, int]) -> Comparison:
    sides = [
        Outcomes(run=name, hashes={"EC-001": "h"}, counts={"EC-001": counts})
        for name, counts in (("r0", before), ("run-2", after))
    ]
    return compare(sides[0], sides[1])


@pytest.mark.parametrize(
    ("after", "told"),
    [((0, 5), "significant"), ((5, 5), "No case differs.")],
    ids=["worse", "same"],
)
def test_the_baseline_stands_beside_the_run(after: tuple[int, int], told: str) -> None:
    comparison = against((5, 5), after).model_copy(
        update={"added": ("EC-009",), "warnings": ("few trials",), "trials_needed": 7}
    )
    text = Reading(html_report(with_figures(good_run(), comparison=comparison))).text
    for part in (told, "Against r0", "added: EC-009", "few trials", "7 trials a case"):
        assert part in text, part


def test_of_a_large_run_as_much_is_shown_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST_CHARACTERS", 5000)
    cases = [case(TextContains(needles=("x",)), id=each) for each in ("A", "B")]
    records = [
        record("long " * 300, case=each, number=number)
        for each in ("A", "B")
        for number in range(1, 9)
    ]
    asked = manifest(["A", "B"], trials={"A": 8, "B": 8})
    read = Reading(html_report(decided(asked, cases, records)))
    assert "further trials are not shown" in read.text
    assert len([each for each in read.attributes if each[1].startswith("trial-")]) < 10


def test_long_texts_calls_and_lists_are_cut() -> None:
    calls = [call("list") for _ in range(70)]
    answer = Reply(turn=1, prompt="p", text="x" * 20_000, tool_calls=tuple(calls))
    diff: dict[str, Any] = {"users": {"added": {str(number): {} for number in range(50)}}}
    entries = tuple(entry("a.b", number) for number in range(1, 70))
    trial = record(answer, case="A", journal=Journal(entries=entries), state_diff=diff)
    run = decided(manifest(["A"]), [case(TextContains(needles=("y",)), id="A")], [trial])
    text = Reading(html_report(run)).text
    for part in ("8000 more characters", "19 more requests", "10 more changes"):
        assert part in text, part


def test_a_conversation_of_turns_and_one_without_answer_are_shown() -> None:
    text = Reading(html_report(example_run())).text
    assert "User, turn 2" in text
    assert "User, not answered" in text


if __name__ == "__main__":
    GOLDEN.write_text(without_style(html_report(full_run("lynx"))), encoding="utf-8")


def test_the_first_failure_of_each_case_comes_first() -> None:
    decisions = [
        case_decision("A", ["pass", "fail", "fail"]),
        case_decision("B", ["infra_error"]),
        case_decision("C", ["pass", "pass"]),
    ]
    found = [(trial.case, trial.number) for trial in choose_trials(decisions)]
    assert found == [("A", 2), ("B", 1), ("A", 3), ("A", 1), ("C", 1), ("C", 2)]
    assert [(trial.case, trial.number) for trial in choose_trials(decisions, 2)] == found[:2]


def test_of_nothing_nothing_is_chosen() -> None:
    assert choose_trials([]) == []


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (Exit.GATE_FAILED, "A quality gate failed"),
        (Exit.USAGE, "Nothing could be decided"),
        (Exit.INFRASTRUCTURE, "The infrastructure failed"),
        (Exit.REGRESSION, "A regression against the baseline"),
        (Exit.NO_VERDICT, "No verdict"),
    ],
    ids=str,
)
def test_each_way_to_end_has_its_banner(code: int, text: str) -> None:
    run = good_run().model_copy(update={"exit_reasons": (ExitReason(code=code, reason="r"),)})
    assert (banner(run).tone, banner(run).text) == ("bad", text)


def test_a_good_run_is_good_and_a_half_one_is_not() -> None:
    assert banner(good_run()).tone == "good"
    half = good_run().model_copy(update={"interrupted": True})
    assert (banner(half).tone, banner(half).text) == ("warn", "Interrupted")
    assert "Synthetic" in banner(synthetic_run()).notes[0]


def test_figures_beside_the_rates_are_told_apart() -> None:
    run = example_run()
    run = run.model_copy(update={"statistics": summarize(run.decisions, run.facts)})
    found = {tile.label: tile for tile in tiles(run)}
    assert found["Trials passed"].note.startswith("5 of 7 valid: 1 infra")
    assert found["Time for a trial"].value.endswith("ms")
    assert "To the first byte" not in found  # nobody knows it
    assert [tile.label for tile in tiles(example_run())] == ["Cases passed", "Trials passed"]


def test_tokens_and_cost_of_a_trial_are_told_where_they_are_known() -> None:
    run = example_run()
    known = [run.facts[0]._replace(tokens=300, cost_usd=0.02), run.facts[1]._replace(tokens=100)]
    statistics = summarize(run.decisions, known)
    found = tiles(run.model_copy(update={"statistics": statistics, "facts": tuple(known)}))
    assert found[-1] == Tile("Tokens for a trial", "200", "0.0200 USD")


def test_timeouts_stand_beside_the_median() -> None:
    run = example_run()
    late = [each._replace(time_limit_ms=10.0, outcome="agent_error") for each in run.facts[-4:-3]]

    def clock(*facts: Any) -> Tile:
        statistics = summarize(run.decisions, facts)
        found = tiles(run.model_copy(update={"statistics": statistics}))
        return next(each for each in found if each.label == "Time for a trial")

    assert clock(run.facts[0], *late).note == "1 of 2 timed out"
    assert clock(*late) == Tile("Time for a trial", "n/a", "1 of 1 timed out")
    assert clock(*run.facts[:3]).note.startswith("slowest 1.5 s")


def trials_of(*statuses: list[TrialStatus], milliseconds: float = 1) -> RunResult:
    decisions = [case_decision(f"C-{at}", each) for at, each in enumerate(statuses)]
    run = result(*decisions)
    facts = [
        TrialFacts(each.case, trial.number, "replied", duration_ms=milliseconds, answer=1)
        for each in decisions
        for trial in each.trials
    ]
    return with_figures(run.model_copy(update={"facts": tuple(facts)}))


@pytest.mark.parametrize(
    ("run", "charts"),
    [
        pytest.param(trials_of(["pass"], ["fail"]), [], id="one trial a case"),
        pytest.param(trials_of(["pass", "pass"], milliseconds=0), [], id="all passed in no time"),
        pytest.param(trials_of(["pass", "pass"]), ["Time for a trial"], id="all passed"),
        pytest.param(trials_of(["pass", "fail"]), ["Pass rates", "Time for a trial"], id="flaky"),
        pytest.param(good_run(), [], id="no figures"),
    ],
)
def test_charts_stand_where_they_tell_something(run: RunResult, charts: list[str]) -> None:
    text = Reading(html_report(run)).text
    titles = ("Pass rates", "Time for a trial: fastest", "Agreement between the trials of a case")
    found = [title.partition(":")[0] for title in titles if title in text]
    assert found == charts
    assert ("Charts" in text) == bool(charts)


def test_of_many_cases_those_with_the_lowest_rates_have_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "MOST_FIGURES", 1)
    text = Reading(html_report(trials_of(["pass", "pass"], ["pass", "fail"]))).text
    assert "The 1 of 2 cases with the lowest rates." in text


def test_details_and_findings_leave_out_what_is_empty() -> None:
    assert ("Suite", "fixtures/example") in details(good_run())
    assert "Started" not in dict(details(good_run()))
    assert findings(good_run()) == []
    assert dict(findings(example_run()))["Flaky"] == "EC-003"


def test_long_lists_are_cut() -> None:
    failing = [case_decision(f"C-{number}", ["fail", "fail"]) for number in range(33)]
    assert dict(findings(result(*failing)))["Always failing"].endswith("C-29 and 3 more")


def test_what_failures_have_in_common_is_told_with_how_many() -> None:
    """CEP-82"""
    cluster = Cluster(kind="tool_calls", what="listOrgUnits", cases=("A", "B"), trials=3)
    run = example_run().model_copy(update={"clusters": (cluster,)})
    assert dict(findings(run))["Alike"] == "tool calls 'listOrgUnits' (2 cases)"
    assert dict(findings(run))["Whose failure"].startswith("agent")
