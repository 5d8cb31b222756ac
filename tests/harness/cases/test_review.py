import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cases import load_suite, read_suite
from harness.cases.review import recognises
from harness.model import (
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    ReplySchema,
    ServiceStatus,
)

BUNDLED = Path(__file__).parents[3] / "fixtures" / "content-review"
REQUEST = {"content": "Trainees will know it.", "standards_set": "naval_v3", "strictness": "low"}
ALL = {
    "min_obs": 2,
    "max_obs": 8,
    "expected_severities": ["violation", "warning"],
    "expected_refs": ["NAV-TR-3.1.1"],
    "expected_error_code": None,
}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str = "case_02_verbs.json", **changes: Any) -> Path:
        case = {
            "id": "case_02",
            "description": "Verbs",
            "expect_error": False,
            "expectations": ALL,
            "request": REQUEST,
        }
        path = tmp_path / "eval" / "cases" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(case | changes), encoding="utf-8")
        return path.parent

    return make


def test_every_field_of_a_case_is_checked_or_sent(write: Write) -> None:
    """CSR-11, CSR-04: every file of the folder is one case."""
    (case,) = load_suite(write()).cases
    assert (case.id, case.title, case.category, case.repeat) == ("case_02", "Verbs", "review", 5)
    assert case.request == REQUEST
    assert json.loads(case.turns[0].user) == REQUEST
    assert case.expect == (
        ServiceStatus(),
        ObservationCount(min=2, max=8),
        ObservationSeverity(severity="violation"),
        ObservationSeverity(severity="warning"),
        ObservationRef(ref="NAV-TR-3.1.1"),
    )


def test_a_review_fits_the_model_that_its_case_names(write: Write) -> None:
    """The schema of one service is not that of another: without a name there is none."""
    model = "python:harness.checks.reviews:ReviewResponse"
    (case,) = load_suite(write(response_model=model)).cases
    assert ReplySchema(model=model) in case.expect


def test_empty_lists_expect_nothing(write: Write) -> None:
    empty: dict[str, list[str]] = {"expected_severities": [], "expected_refs": []}
    (case,) = load_suite(write(expectations=dict.fromkeys(ALL) | empty)).cases
    assert case.expect == (ServiceStatus(),)


def test_nulls_expect_nothing_and_an_error_has_no_observations(write: Write) -> None:
    """CSR-12, CSR-17."""
    nothing = dict.fromkeys(ALL)
    write("case_03_any.json", id="case_03", expectations=nothing)
    write("case_04_most.json", id="case_04", expectations=nothing | {"max_obs": 3})
    folder = write(expect_error=True, expectations=nothing | {"expected_error_code": "EMPTY"})
    error, anything, most = load_suite(folder).cases
    assert error.expect == (ServiceStatus(family="client_error", code="EMPTY"),)
    assert error.category == "error"
    assert [item.kind for item in anything.expect] == ["service_status"]
    assert most.expect[-1] == ObservationCount(max=3)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        pytest.param("case_2_x.json", {}, "not named as a case", id="one digit"),
        pytest.param("notes.json", {}, "not named as a case", id="another name"),
        pytest.param("case_02.json", {}, "not named as a case", id="no description"),
        pytest.param("case_02_x.json", {"id": "case_03"}, "in a file of 'case_02'", id="id"),
        pytest.param("case_02_x.json", {"expected": 1}, "unknown key 'expected'", id="key"),
        pytest.param(
            "case_02_x.json", {"expectations": {"max_ob": 1}}, "did you mean 'max_obs'", id="typo"
        ),
        pytest.param(
            "case_02_x.json", {"request": REQUEST | {"x": 1}}, "unknown key 'x'", id="request"
        ),
        pytest.param("case_02_x.json", {"request": {}}, "'content' is missing", id="no content"),
        pytest.param(
            "case_02_x.json", {"expectations": {"min_obs": 3, "max_obs": 1}}, "above", id="range"
        ),
        pytest.param("case_02_x.json", {"expectations": {"min_obs": 0}}, "never fail", id="idle"),
        pytest.param(
            "case_02_x.json", {"expectations": ALL | {"min_obs": None, "max_obs": 0}},
            "leaves no observation", id="none allowed",
        ),
        pytest.param(
            "case_02_x.json", {"expect_error": True}, "set expected_refs, expected_severities, max",
            id="error with observations",
        ),
        pytest.param(
            "case_02_x.json", {"expectations": {"expected_error_code": "X"}},
            "needs expect_error: true", id="code without error",
        ),
        pytest.param("case_02_x.json", {"response_model": "Model"}, "names no model", id="model"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_file(
    write: Write, name: str, changes: dict[str, Any], said: str
) -> None:
    """CSR-26."""
    write("case_09_sound.json", id="case_09")
    suite = read_suite(write(name, **changes))
    assert [error for error in suite.errors if name in error.where and said in str(error)]


def test_a_file_that_is_no_json_is_one_of_the_problems(write: Write) -> None:
    folder = write()
    (folder / "case_03_x.json").write_text("[1,", encoding="utf-8")
    (folder / "case_04_x.json").write_text("[]", encoding="utf-8")
    assert [error.message for error in read_suite(folder).errors] == [
        "not JSON: Expecting value",
        "expected an object, found []",
    ]


def test_a_reference_is_what_a_perfect_service_answers(write: Write) -> None:
    folder = write()
    (folder / "references").mkdir()
    reference = folder / "references" / "case_02.json"
    reference.write_text('{"status": 422, "body": {"a": 1}}', encoding="utf-8")
    (turn,) = load_suite(folder).cases[0].reference
    assert (turn.http_status, turn.data, turn.answer) == (422, {"a": 1}, '{"a": 1}')
    reference.write_text('{"state": 422}', encoding="utf-8")
    assert "did you mean 'status'" in str(read_suite(folder).errors)
    reference.write_text("{", encoding="utf-8")
    assert "not JSON" in str(read_suite(folder).errors[0])


def test_links_that_leave_the_suite_are_refused(write: Write, tmp_path: Path) -> None:
    folder = write()
    outside = tmp_path / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    (folder / "case_05_link.json").symlink_to(outside)
    (folder / "references").mkdir()
    (folder / "references" / "case_02.json").symlink_to(outside)
    assert [error.message for error in read_suite(folder).errors] == [
        "is a link that leaves the suite's folder"
    ] * 2


def test_a_folder_with_one_named_case_or_a_file_is_recognised(write: Write, tmp_path: Path) -> None:
    folder = write()
    assert recognises(folder)
    assert recognises(folder.parent)
    assert recognises(folder / "case_02_verbs.json")
    assert not recognises(tmp_path)
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    assert not recognises(tmp_path / "other.json")
    assert len(load_suite(folder / "case_02_verbs.json").cases) == 1


def test_the_bundled_suite_has_the_eight_cases_of_the_inventory() -> None:
    """CSR-36."""
    found = {}
    for case in load_suite(BUNDLED).cases:
        counts = [item.range for item in case.expect if isinstance(item, ObservationCount)]
        refs = [item.ref for item in case.expect if isinstance(item, ObservationRef)]
        codes = [item.code for item in case.expect if isinstance(item, ServiceStatus) and item.code]
        grave = [item.severity for item in case.expect if isinstance(item, ObservationSeverity)]
        found[case.id] = (counts or codes, refs, grave)
    assert found == {
        "case_01": (["0-3"], [], []),
        "case_02": (["2-8"], ["NAV-TR-3.1.1"], ["violation", "warning"]),
        "case_03": (["2-10"], ["NAV-TR-3.3.1"], ["warning"]),
        "case_04": (["1-6"], ["NAV-TR-3.2.2"], ["violation"]),
        "case_05": (["2-8"], ["NAV-TR-3.4.1"], ["warning"]),
        "case_06": (["0-5"], [], []),
        "case_07": (["EMPTY_CONTENT"], [], []),
        "case_08": (["STANDARDS_NOT_FOUND"], [], []),
    }
