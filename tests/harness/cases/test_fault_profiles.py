from pathlib import Path

import pytest

from harness.cases import cross_with_profiles, fault_profiles
from harness.cases.fault_profiles import BUILTIN, OF_MODELS
from harness.errors import HarnessError, InvalidCasesError
from mockserver.model import Fault
from tests.harness.records import case


def test_each_case_is_followed_by_itself_under_each_profile() -> None:
    first = case(id="C-1", tags=("a",))
    profiles = fault_profiles("slow, outage", Path())
    made = cross_with_profiles([first, case(id="C-2")], profiles)
    assert [one.id for one in made] == [
        "C-1", "C-1--slow", "C-1--outage", "C-2", "C-2--slow", "C-2--outage",
    ]  # fmt: skip
    assert made[0] is first
    assert made[2].tags == ("a", "faults:outage")
    assert made[2].fixtures.faults == BUILTIN["outage"]


def test_nothing_asked_for_leaves_the_cases_alone() -> None:
    assert cross_with_profiles([case()], fault_profiles("", Path())) == (case(),)


def test_profiles_are_named_by_groups() -> None:
    assert fault_profiles("all", Path()) == BUILTIN
    assert fault_profiles("models", Path()) == OF_MODELS
    assert fault_profiles("model-overload,slow", Path()) == {
        "model-overload": OF_MODELS["model-overload"], "slow": BUILTIN["slow"],
    }  # fmt: skip


def test_profiles_may_be_written_down(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("teapot: [{method: 'tools.*', status: 418}]\n")
    assert fault_profiles("slow,mine.yaml", tmp_path) == {
        "slow": BUILTIN["slow"],
        "teapot": (Fault(method="tools.*", status=418),),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("a: [{status: 500}]", "mine.yaml#/a/0/method: is missing", id="field"),
        pytest.param("a: [", "not YAML", id="YAML"),
    ],
)
def test_a_file_that_is_none_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises((HarnessError, InvalidCasesError), match=said):
        fault_profiles("mine.yaml", tmp_path)


def test_an_unknown_profile_is_told_with_the_nearest() -> None:
    with pytest.raises(HarnessError, match="did you mean 'rate-limit'"):
        fault_profiles("rate-limits", Path())


def test_an_id_that_becomes_too_long_is_refused() -> None:
    with pytest.raises(HarnessError, match="longer than 64"):
        cross_with_profiles([case(id="C" * 60)], fault_profiles("slow", Path()))
