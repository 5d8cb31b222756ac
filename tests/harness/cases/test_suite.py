from pathlib import Path
from typing import Any

import pytest

from harness.cases import case_hash, input_hash, read_suite, suite_prices
from harness.cases.assembly import Entry, assemble
from harness.cases.fixtures import SuiteFolder
from harness.cases.suite import Suite
from harness.documents import Document, Findings, Part
from harness.errors import CaseProblem, HarnessError, InvalidCasesError
from harness.model import Case, Evidence, Fixtures, Policy, ReferenceTurn, Turn
from harness.trials.records import Price
from harness.trials.tracing import PRICES, price_of
from tests.casefiles import errors, put


def test_problems_are_told_apart_by_level() -> None:
    error, warning = CaseProblem("a", "x"), CaseProblem("b", "y", level="warning")
    suite = Suite(Path(), "s", (), (error, warning))
    assert (suite.errors, suite.warnings) == ((error,), (warning,))


def case(name: str, fixtures: Fixtures | None = None) -> Case:
    return Case(
        id=name,
        turns=(Turn(user="Why?"),),
        expect=(Evidence(markers=("handshake",)),),
        fixtures=fixtures or Fixtures(),
    )


def at(name: str) -> Part:
    return Part(Document(name, {"id": "EC-001"}, {(): 1}))


def test_a_duplicate_id_is_told_with_both_places(tmp_path: Path) -> None:
    entries = [Entry("EC-001", at("a"), case("EC-001")), Entry("EC-001", at("b"), None)]
    suite = assemble(SuiteFolder(tmp_path), "s", entries, Findings())
    assert errors(suite, tmp_path) == ["b:1: duplicate id 'EC-001', first at a:1"]


def test_entries_without_an_id_are_no_duplicates(tmp_path: Path) -> None:
    findings = Findings()
    findings.error("a", "no id")
    suite = assemble(
        SuiteFolder(tmp_path), "s", [Entry("", at("a"), None), Entry("", at("b"), None)], findings
    )
    assert errors(suite, tmp_path) == ["a: no id"]


def test_an_override_for_an_unknown_case_is_told(tmp_path: Path) -> None:
    for name in ("EC-001", "EC-01", "shared"):
        put(tmp_path / name / "overrides.json", "{}")
    used = Fixtures(overrides=("EC-001", "shared/overrides.json"))
    entries = [Entry("EC-001", at("a"), case("EC-001", used))]
    suite = assemble(SuiteFolder(tmp_path), "s", entries, Findings())
    assert errors(suite, tmp_path) == [
        "EC-01: override for an unknown case 'EC-01' (did you mean 'EC-001'?)"
    ]


def test_an_override_of_an_invalid_case_is_no_stranger(tmp_path: Path) -> None:
    put(tmp_path / "EC-001" / "overrides.json", "{}")
    suite = assemble(SuiteFolder(tmp_path), "s", [Entry("EC-001", at("a"), None)], Findings())
    assert suite.problems == ()


def test_a_suite_without_cases_is_told(tmp_path: Path) -> None:
    suite = assemble(SuiteFolder(tmp_path), "s", [], Findings())
    assert errors(suite, tmp_path) == [f"{tmp_path}: holds no case"]


CASE = Case(id="EC-001", turns=(Turn(user="Why?"),), expect=(Evidence(markers=("handshake",)),))


@pytest.mark.parametrize(
    "change",
    [
        {"turns": (Turn(user="Why not?"),)},
        {"expect": (Evidence(markers=("handshakes",)),)},
        {"fixtures": Fixtures(overrides=("EC-002",))},
        {"fixtures": Fixtures(seed=1)},
        {"fixtures": Fixtures(cassettes=("calls",))},
        {"fixtures": Fixtures(repeats="last")},
        {"reference": (ReferenceTurn(answer="x"),)},
        {"timeout_s": 3.0},
        {"id": "EC-002"},
    ],
    ids=str,
)
def test_what_is_asked_given_or_expected_makes_another_case(change: dict[str, Any]) -> None:
    assert case_hash(CASE.model_copy(update=change)) != case_hash(CASE)


@pytest.mark.parametrize(
    "change",
    [
        {"title": "x"},
        {"tags": ("x",)},
        {"notes": {"a": "b"}},
        {"repeat": 5},
        {"policy": Policy(rate=0.5)},
        {"source": "elsewhere:9"},
    ],
    ids=str,
)
def test_what_only_describes_or_decides_does_not(change: dict[str, Any]) -> None:
    assert case_hash(CASE.model_copy(update=change)) == case_hash(CASE)


def test_the_hash_does_not_change_between_versions() -> None:
    assert case_hash(CASE) == case_hash(Case.model_validate(CASE.model_dump()))
    assert len(case_hash(CASE)) == 12


def test_the_input_hash_does_not_know_what_a_case_is_held_against() -> None:
    """Stored trials may be decided anew under other expectations, never under other inputs."""
    first = Case(id="C-1", turns=(Turn(user="Why?"),))
    held = first.model_copy(update={"reference": (ReferenceTurn(answer="So."),)})
    asked = first.model_copy(update={"turns": (Turn(user="How?"),)})
    assert input_hash(held) == input_hash(first) != input_hash(asked)
    assert case_hash(held) != case_hash(first)


def write(folder: Path, text: str) -> Path:
    (folder / "prices.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_suite_without_prices_has_the_usual_ones(tmp_path: Path) -> None:
    assert suite_prices(tmp_path) == PRICES


def test_what_a_suite_says_comes_first_and_is_no_case(tmp_path: Path) -> None:
    write(tmp_path, "Llama*: {input: 0, output: 0}\ngpt-*: {input: 7, output: 8}\n")
    (tmp_path / "cases.yaml").write_text(
        "cases: [{id: A, input: Go., expect: {text: {contains: [x]}}}]", encoding="utf-8"
    )
    prices = suite_prices(tmp_path)
    assert price_of("llama3", prices) == Price(0, 0)
    assert price_of("gpt-5", prices) == Price(7, 8)
    assert price_of("claude-opus-4", prices) == PRICES["claude-opus-4*"]
    assert not read_suite(tmp_path).problems


@pytest.mark.parametrize(
    "text", ["gpt: 3", "gpt: {input: -1, output: 2}", "gpt: {input: 1, output: 1.0e+999}", "- 1",
             "gpt: {input: 1, output: 2, more: 3}"],
)  # fmt: skip
def test_a_broken_price_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(HarnessError, match=r"prices.yaml: ") as error:
        suite_prices(write(tmp_path, text))
    assert "output: 10" in (error.value.hint or "")


@pytest.mark.parametrize("text", ["a: [\n", "a: {input: 1, output: .inf}"])
def test_what_is_no_yaml_or_no_number_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidCasesError):
        suite_prices(write(tmp_path, text))
