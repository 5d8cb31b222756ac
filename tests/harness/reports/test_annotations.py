import pytest

from harness.model import RunResult, TextContains
from harness.reports.annotations import MOST, github_annotations
from tests.harness.example_run import example_run, good_run
from tests.harness.records import case, decided, manifest, record


def failing(source: str, suite: str = "fixtures/example", said: str = "no") -> RunResult:
    cases = [case(TextContains(needles=("x",)), id="A", title="T", source=source)]
    return decided(manifest(["A"], suite=suite), cases, [record(said, case="A")])


def test_nothing_is_said_of_a_run_that_passed() -> None:
    assert github_annotations(good_run()) == ""


def test_each_case_that_did_not_pass_has_its_command() -> None:
    lines = github_annotations(example_run()).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::warning"]
    assert lines[0].startswith(
        "::error title=EC-002 failed 0/1::Quota | <exceeded>"
        " (schema mismatch, missing evidence, low rubric score)%0Atrial 1: schema mismatch"
    )


@pytest.mark.parametrize(
    ("source", "suite", "place"),
    [
        ("cases/a.md", "fixtures/example", "file=fixtures/example/cases/a.md"),
        ("cases.yaml:12", "./suite/", "file=suite/cases.yaml,line=12"),
        ("cases.yaml#/cases/3", "suite/cases.yaml", "file=suite/cases.yaml"),
        ("units.yaml", "units.yaml", "file=units.yaml"),
        ("a,b:c.yaml", ".", "file=a%2Cb%3Ac.yaml"),
    ],
    ids=["folder", "line", "pointer", "file", "odd"],
)
def test_it_stands_beside_the_file_of_the_case(source: str, suite: str, place: str) -> None:
    assert f"::error {place},title=" in github_annotations(failing(source, suite))


def test_no_reply_begins_a_command_of_its_own() -> None:
    run = failing("a.md")
    decision = run.decisions[0]
    trial = decision.trials[0].model_copy(update={"reason": "x\n::set-output name=a::b\r100%"})
    odd = decision.model_copy(update={"trials": (trial,)})
    text = github_annotations(run.model_copy(update={"decisions": (odd,)}))
    assert len(text.splitlines()) == 1
    assert text.endswith("trial 1: x%0A::set-output name=a::b\\x0d100%25\n")


def test_a_case_without_trials_is_told_by_its_verdict() -> None:
    run = failing("a.md")
    decision = run.decisions[0].model_copy(update={"trials": (), "reason": ""})
    assert github_annotations(run.model_copy(update={"decisions": (decision,)})).endswith(
        "::T%0Afailed\n"
    )


def test_more_than_are_shown_are_counted() -> None:
    ids = [f"C-{number}" for number in range(MOST + 3)]
    cases = [case(TextContains(needles=("x",)), id=each) for each in ids]
    run = decided(manifest(ids), cases, [record("no", case=each) for each in ids])
    lines = github_annotations(run).splitlines()
    assert len(lines) == MOST + 1
    assert lines[-1] == "::notice::3 more cases did not pass; the summary lists all 13"
