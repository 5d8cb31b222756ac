from typing import Any

from harness.model import (
    Case,
    CaseDecision,
    CheckResult,
    Fixtures,
    JsonObject,
    TextContains,
    TrialRecord,
)
from harness.verdicts.runs import RecordingUse, clusters
from mockserver.model import (
    Fault,
    FaultReport,
    Journal,
    JournalEntry,
    PlayedRecording,
    UnusedRecording,
)
from tests.harness.records import case, case_decision, decided, manifest, record, trial

CASES = [case(TextContains(needles=("a",)), id=name) for name in ("C-1", "C-2")]


def _fault(met: int, case_id: str = "C-1", **facts: object) -> TrialRecord:
    report = FaultReport(fault=Fault(method="reports.activities.list", status=429), met=met)
    return record("x", case=case_id, faults=(report,), **facts)


def test_records_become_a_result_in_run_order() -> None:
    records = [
        record("b", case="C-2"),
        record("a", case="C-1", number=2),
        record("a", case="C-1"),
        record("a", case="gone"),
    ]
    found = decided(manifest(["C-1", "C-2"]), CASES, records, folder="runs/r1")
    assert [(each.case, each.verdict) for each in found.decisions] == [
        ("C-1", "passed"),
        ("C-2", "failed"),
    ]
    assert [(each.case, each.number) for each in found.records] == [
        ("C-1", 1),
        ("C-1", 2),
        ("C-2", 1),
    ]
    assert [reason.code for reason in found.exit_reasons] == [1]
    assert found.folder == "runs/r1"


def test_the_manifest_holds_the_policy() -> None:
    records = [record(text, number=n) for n, text in enumerate(("a", "a", "b"), 1)]
    asked = manifest(["C-1"], policy={"rate": 0.6})
    assert decided(asked, CASES[:1], records).decisions[0].verdict == "passed"


def test_deciding_again_gives_the_same() -> None:
    records = [record("a"), record("b", case="C-2")]
    one, other = (
        decided(manifest(["C-1", "C-2"]), CASES, each) for each in (records, records[::-1])
    )
    assert one == other


def _not_met(*records: TrialRecord) -> tuple[str, ...]:
    return decided(manifest(["C-1", "C-2"]), CASES, records).faults_not_met


def test_faults_that_no_call_met_are_listed() -> None:
    method = "reports.activities.list"
    assert _not_met(_fault(0), _fault(0, number=2)) == (f"C-1: {method}",)
    assert _not_met(_fault(0), _fault(1, number=2), _fault(0, "C-2")) == (f"C-2: {method}",)


def test_each_trial_uses_the_recording_of_its_own_number() -> None:
    tapes = RecordingUse()
    for number, left in ((1, "C-1.models.yaml"), (2, "C-1.models.2.yaml"), (3, "C-1.models.yaml")):
        tapes.note(_replay_case(), _trial(*_unused(left, number, 7), number=number))
    assert tapes.unused() == (
        "C-1.models 7: GET https://a.example.com/7",
        "C-1.models.2 2: GET https://a.example.com/2",
        "C-1.models.2 7: GET https://a.example.com/7",
    )


def test_recordings_that_no_trial_asked_for_are_listed() -> None:
    played = CASES[0].model_copy(update={"fixtures": Fixtures(cassettes=("calls",))})
    left = UnusedRecording(tape="calls.yaml", number=3, method="GET", url="https://a.example.com/")
    found = decided(manifest(["C-1"]), [played], [record("a", unused=(left,))])
    assert found.recordings_unused == ("calls 3: GET https://a.example.com/",)


def test_live_addresses_and_recordings_in_doubt_are_listed() -> None:
    refused = {"seq": 1, "at": "", "session": "", "method_id": "", "http_method": "CONNECT",
               "path": "api.openai.com:443", "status": 403, "source": "none",
               "duration_ms": 0}  # fmt: skip
    played = PlayedRecording(cassette="calls.yaml", number=2, warning="recorded after PUT /a")
    answered = {**refused, "http_method": "GET", "status": 200, "source": "cassette"}
    entries = (
        JournalEntry.model_validate(refused),
        JournalEntry.model_validate({**answered, "recording": played}),
    )
    seen = record("a", journal=Journal(entries=entries))
    found = decided(manifest(["C-1"]), CASES[:1], [seen, seen.model_copy(update={"number": 2})])
    assert found.addresses_refused == ("C-1: api.openai.com:443",)
    assert found.recordings_doubtful == ("C-1: calls.yaml 2: recorded after PUT /a",)


def test_an_agent_that_was_not_reached_meets_no_fault() -> None:
    assert _not_met(_fault(0, outcome="infra_error"), _fault(0, number=2, synthetic=True)) == ()


def test_figures_are_kept_of_every_record() -> None:
    found = decided(
        manifest(["C-1"]), CASES[:1], [record("a", duration_ms=5.0), _fault(0, number=2)]
    )
    assert [(each.case, each.number, each.duration_ms) for each in found.facts] == [
        ("C-1", 1, 5.0),
        ("C-1", 2, 0),
    ]


def _case(name: str, *checks: CheckResult, trials: int = 1) -> CaseDecision:
    made = tuple(trial("fail", number, case=name, checks=checks) for number in range(1, trials + 1))
    return case_decision(name, ["fail"]).model_copy(update={"trials": made})


def _check(
    kind: str, *, status: str = "fail", required: bool = True, **numbers: object
) -> CheckResult:
    known: JsonObject = {"kind": kind, "status": status, "required": required, "numbers": numbers}
    return CheckResult.model_validate(known)


def test_cases_that_lack_the_same_stand_together() -> None:
    """CEP-82"""
    missing = _check("evidence", missing=["402", "quota"])
    found = clusters(
        [_case("A", missing, trials=2), _case("B", _check("evidence", missing=["402"]))]
    )
    assert [(each.what, each.cases, each.trials) for each in found] == [("402", ("A", "B"), 3)]


def test_what_was_found_counts_only_where_it_must_not_be() -> None:
    found = clusters(
        [_case(name, _check("forbidden_tools", found=["rm"]), _check("evidence", found=3))
         for name in "AB"]
    )  # fmt: skip
    assert [(each.kind, each.what) for each in found] == [("forbidden_tools", "rm")]


def test_one_case_alone_and_what_passed_or_is_for_information_make_no_cluster() -> None:
    passing = _check("evidence", status="pass", missing=["x"])
    loose = _check("evidence", required=False, missing=["x"])
    assert (
        clusters([_case("A", _check("evidence", missing=["x"])), _case("B", passing, loose)]) == ()
    )


def test_the_most_frequent_comes_first() -> None:
    one, both = _check("evidence", missing=["a"]), _check("evidence", missing=["a", "b"])
    found = clusters([_case("A", both), _case("B", both), _case("C", one)])
    assert [each.what for each in found] == ["a", "b"]
    x, y, z = (_check("evidence", missing=[what]) for what in "xyz")
    other = _check("answer", missing=["y"])
    cases = [_case(name, x, y, other) for name in "AB"] + [
        _case(name, z, trials=2) for name in "AB"
    ]
    assert [(each.kind, each.what, each.trials) for each in clusters(cases)] == [
        ("evidence", "z", 4), ("evidence", "x", 2), ("evidence", "y", 2),
    ]  # fmt: skip


def _replay_case(*cassettes: str) -> Case:
    return case().model_copy(update={"fixtures": Fixtures(cassettes=cassettes)})


def _unused(tape: str, *numbers: int) -> tuple[UnusedRecording, ...]:
    return tuple(
        UnusedRecording(tape=tape, number=number, method="GET", url=f"https://a.example.com/{number}")
        for number in numbers
    )  # fmt: skip


def _trial(*unused: UnusedRecording, **facts: Any) -> TrialRecord:
    return record("a", unused=unused, **facts)


def test_a_recording_is_used_when_one_trial_has_asked_for_it() -> None:
    tapes = RecordingUse()
    tapes.note(_replay_case("calls"), _trial(*_unused("calls.yaml", 1, 2, 3)))
    tapes.note(
        _replay_case("calls", "more"), _trial(*_unused("calls.yaml", 2, 3), *_unused("more", 1))
    )
    tapes.note(_replay_case("more"), _trial(*_unused("more", 1)))
    assert tapes.unused() == (
        "calls 2: GET https://a.example.com/2",
        "calls 3: GET https://a.example.com/3",
        "more 1: GET https://a.example.com/1",
    )


def test_a_trial_that_says_nothing_of_a_cassette_it_had_has_used_all_of_it() -> None:
    tapes = RecordingUse()
    tapes.note(_replay_case("calls"), _trial(*_unused("calls.yaml", 1)))
    tapes.note(_replay_case("calls"), _trial())
    assert tapes.unused() == ()


def test_trials_whose_agent_was_not_reached_say_nothing() -> None:
    tapes = RecordingUse()
    tapes.note(_replay_case("calls"), _trial(*_unused("calls", 1), outcome="infra_error"))
    tapes.note(_replay_case("calls"), _trial(*_unused("calls", 1), synthetic=True))
    tapes.note(_replay_case(), _trial(*_unused("calls", 1)))
    assert tapes.unused() == ()
