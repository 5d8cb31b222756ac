import json
from pathlib import Path
from typing import Any

import pytest

from harness.cases import count_categories, load_suite, read_suite
from harness.model import Fixtures
from tests.casefiles import CASE_FILE, chrome_suite, entry, errors, put, warnings

CATEGORY_COUNTS = {
    "policy": 15, "dlp": 9, "connector": 8, "system": 7, "enrollment": 7, "security": 6,
    "network": 6, "devices": 6, "integration": 4, "extensions": 4, "endpoint": 4, "browser": 3,
    "auth": 3, "events": 2, "updates": 1,
}  # fmt: skip


def test_the_registry_is_the_source_of_all_cases(tmp_path: Path) -> None:
    """CEP-04, CEP-05: 85 cases in 15 categories, counted per category."""
    categories = [name for name, count in CATEGORY_COUNTS.items() for _ in range(count)]
    entries = [
        entry(id=f"EC-{number:03}", category=name) for number, name in enumerate(categories, 1)
    ]
    suite = load_suite(chrome_suite(tmp_path, entries))
    assert len(suite.cases) == 85
    assert count_categories(suite.cases) == CATEGORY_COUNTS
    assert suite.format == "chrome"


def test_a_case_is_read_from_its_entry_and_its_file(tmp_path: Path) -> None:
    """CEP-06, CEP-07, CEP-08, CEP-09."""
    case_file = "evals/cases/EC-001-some-name.md"
    (case,) = load_suite(chrome_suite(tmp_path, [entry(case_file=case_file)])).cases
    assert (case.id, case.title, case.category) == ("EC-001", "Enrollment fails", "enrollment")
    assert [turn.user for turn in case.turns] == ["Why does enrollment fail?"]
    assert case.notes == {"Summary": "A device cannot enroll.", "Cleanup": "- None."}
    assert case.source == "registry.json#/cases/0"


@pytest.mark.parametrize(
    "shape",
    [lambda items: items, lambda items: {"version": "3", "evals": items}],
    ids=["list", "evals"],
)
def test_a_registry_may_be_a_list_or_an_object(tmp_path: Path, shape: Any) -> None:
    chrome_suite(tmp_path)
    put(tmp_path / "registry.json", json.dumps(shape([entry()])))
    assert [case.id for case in load_suite(tmp_path / "registry.json").cases] == ["EC-001"]


@pytest.mark.parametrize("nested", ["", "fixtures/"], ids=["beside", "nested"])
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, Fixtures(overrides=("EC-001",))),
        ({"overrides": []}, Fixtures()),
        ({"overrides": ["evals/fixtures/EC-001/overrides.json"]}, Fixtures(overrides=("EC-001",))),
        ({"overrides": ["EC-002", "EC-001"]}, Fixtures(overrides=("EC-002", "EC-001"))),
        ({"fixtures": ["base/api-base.json"]}, Fixtures(overrides=("EC-001",))),
        ({"fixtures": ["EC-002"]}, Fixtures(overrides=("EC-002", "EC-001"))),
        ({"fixtures": ["EC-002/overrides.json"]}, Fixtures(overrides=("EC-002", "EC-001"))),
    ],
    ids=str,
)
def test_overrides_are_named_or_the_case_s_own(
    tmp_path: Path, nested: str, fields: dict[str, Any], expected: Fixtures
) -> None:
    """CEP-10, CEP-11: base for all, overrides for one case."""
    files = {
        f"{nested}base/api-base.json": "{}",
        f"{nested}EC-001/overrides.json": "{}",
        f"{nested}EC-002/x.patch.json": "[]",
    }
    suite = chrome_suite(tmp_path, [entry(**fields), entry(id="EC-002")], files=files)
    assert load_suite(suite).cases[0].fixtures == expected


def test_a_case_without_overrides_runs_on_the_base_alone(tmp_path: Path) -> None:
    """CEP-58."""
    (case,) = load_suite(chrome_suite(tmp_path, files={"base/all.json": "{}"})).cases
    assert case.fixtures == Fixtures()


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("net.log", "EC-001/net.log"),
        ("EC-001/net.log", "EC-001/net.log"),
        ("evals/fixtures/EC-001/net.log", "EC-001/net.log"),
        ("docs/guide.txt", "docs/guide.txt"),
    ],
)
def test_plain_text_fixtures_are_found(tmp_path: Path, written: str, found: str) -> None:
    """CEPR-25."""
    files = {"EC-001/net.log": "reset", "docs/guide.txt": "x"}
    (case,) = load_suite(chrome_suite(tmp_path, [entry(fixtures=[written])], files=files)).cases
    assert case.fixtures.files == (found,)


def test_listed_base_fixtures_are_noted(tmp_path: Path) -> None:
    (case,) = load_suite(chrome_suite(tmp_path, [entry(fixtures=["base/api-base.json"])])).cases
    assert case.notes["Base fixtures"] == "loaded for every case; not listed by case"


@pytest.mark.parametrize(
    ("fields", "pointer", "error"),
    [
        ({"id": "EC-1"}, "", "id 'EC-1' is not of the form EC-###"),
        ({"id": "EC-001x"}, "", "id 'EC-001x' is not of the form EC-###"),
        ({"titel": "x"}, "/titel", "unknown key 'titel' (did you mean 'title'?)"),
        ({"mode": "rubrik"}, "/mode", "'rubrik' is not one of 'deterministic', 'rubric', "),
        ({"mode": "rubric"}, "/mode", "EC-001: mode 'rubric' needs a rubric"),
        ({"mode": "multi-turn"}, "/mode", "EC-001: mode 'multi-turn' needs at least two turns"),
        ({"mode": "comparison"}, "/mode", "EC-001: mode 'comparison' needs at least two"),
        ({"required_evidence": [" - "]}, "/required_evidence/0", "' - ' is an empty needle"),
        (
            {"turn_assertions": [{"turn": 3, "required_evidence": ["x1"]}]},
            "/turn_assertions/0/turn",
            "EC-001: evidence speaks of turn 3, but the case has turns 1 to 1",
        ),
        (
            {"case_file": "cases/EC-001-other.md"},
            "",
            "no case file 'cases/EC-001-other.md' (did you mean 'EC-001-some-name.md'?)",
        ),
        ({"case_file": "nowhere/EC-001-x.md"}, "", "no case file 'nowhere/EC-001-x.md'"),
        ({"case_file": "../EC-001-x.md"}, "", "case file '../EC-001-x.md' leaves the suite"),
        ({"case_file": "/etc/passwd"}, "", "case file '/etc/passwd' leaves the suite"),
        ({"fixtures": ["../secret.txt"]}, "", "file '../secret.txt' leaves the suite's folder"),
        ({"overrides": ["../EC-002"]}, "", "override '../EC-002' leaves the suite's folder"),
        (
            {"conversation_script": [{"role": "assistant", "content": "x"}]},
            "/conversation_script/0/role",
            "'assistant' is not one of 'user'",
        ),
        ({"clock": "frozen:yesterday"}, "/clock", "'frozen:yesterday' is no clock: expected"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_invalid_entry_is_told_with_its_place(
    tmp_path: Path, fields: dict[str, Any], pointer: str, error: str
) -> None:
    """CEP-50, CEPR-06."""
    suite = chrome_suite(tmp_path, [entry(**fields)], files={"base/all.json": "{}"})
    found = errors(read_suite(suite), tmp_path)
    expected = f"registry.json#/cases/0{pointer}: {error}"
    assert any(item.startswith(expected) for item in found), found


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"mode": "reference"}, "mode 'reference' has no reference text"),
        ({"required_evidence": []}, "expects only that the reply looks like an answer"),
    ],
)
def test_a_case_that_decides_little_is_a_warning(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    suite = read_suite(chrome_suite(tmp_path, [entry(**fields)], files={"base/all.json": "{}"}))
    assert not suite.errors
    assert len(suite.cases) == 1
    assert any(said in item.message for item in suite.warnings)


def test_an_invalid_entry_costs_no_other(tmp_path: Path) -> None:
    """Each problem names the case that it concerns, and only that case is left out."""
    entries = [entry(), entry(id="EC-002", clock="frozen:yesterday")]
    suite = read_suite(chrome_suite(tmp_path, entries, files={"base/all.json": "{}"}))
    assert [case.id for case in suite.cases] == ["EC-001"]
    assert {item.case for item in suite.errors} == {"EC-002"}


@pytest.mark.parametrize(
    "name", ["EC-002-other.md", "EC-001-Other_Name.md", "EC-001.md", "EC-001-x.txt"]
)
def test_a_case_file_is_named_after_its_case(tmp_path: Path, name: str) -> None:
    """CEP-50."""
    files = {f"cases/{name}": CASE_FILE}
    suite = chrome_suite(tmp_path, [entry(case_file=f"cases/{name}")], files=files)
    found = errors(read_suite(suite), tmp_path)
    assert any(f"{name!r} is not named 'EC-001-descriptive-name.md'" in item for item in found)


def test_all_invalid_entries_are_told_at_once(tmp_path: Path) -> None:
    entries = [entry(id="EC-001", mode="x"), entry(id="EC-002", rubric=3), entry(id="EC-003")]
    found = read_suite(chrome_suite(tmp_path, entries, files={"cases/EC-004-lost.md": CASE_FILE}))
    assert [problem.split(":")[0] for problem in errors(found, tmp_path)] == [
        "registry.json#/cases/0/mode",
        "registry.json#/cases/1/rubric",
        "cases/EC-004-lost.md",
    ]
    assert [case.id for case in found.cases] == ["EC-003"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"cases": [}', "registry.json:1:12: not JSON: Expecting value"),
        ("3", "registry.json#: expected a list of cases, or an object"),
        ('{"cases": [], "evals": []}', "registry.json#: expected a list of cases, or an object"),
        ('{"cases": [], "case": 1}', "registry.json#/case: unknown key 'case' (did you mean"),
        ("[3]", "registry.json#/0: expected an object, found 3"),
        ("[]", "holds no case"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_broken_registry_is_told_with_its_place(tmp_path: Path, text: str, error: str) -> None:
    put(tmp_path / "registry.json", text)
    found = errors(read_suite(tmp_path), tmp_path)
    assert any(error in item for item in found), found


def test_a_case_file_must_agree_with_its_entry(tmp_path: Path) -> None:
    files = {"cases/EC-001-some-name.md": CASE_FILE.replace("EC-001", "EC-009")}
    found = read_suite(chrome_suite(tmp_path, files=files))
    assert errors(found, tmp_path) == [
        "cases/EC-001-some-name.md:1: is titled 'EC-009', its entry is 'EC-001'"
    ]


def test_a_case_file_without_a_conversation_is_told_with_its_line(tmp_path: Path) -> None:
    files = {"cases/EC-001-some-name.md": "# EC-001: x\n\n## Summary\n\nx\n"}
    found = read_suite(chrome_suite(tmp_path, files=files))
    assert "cases/EC-001-some-name.md:1: has no Conversation section" in errors(found, tmp_path)[0]


def test_an_entry_without_any_case_file_is_told(tmp_path: Path) -> None:
    chrome_suite(tmp_path)
    (tmp_path / "cases" / "EC-001-some-name.md").unlink()
    assert errors(read_suite(tmp_path), tmp_path) == [
        "registry.json#/cases/0: EC-001: names no case_file (add 'case_file')"
    ]


def test_a_case_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    chrome_suite(tmp_path)
    (tmp_path / "cases" / "EC-001-some-name.md").write_bytes(b"\xff")
    assert "is not UTF-8" in errors(read_suite(tmp_path), tmp_path)[0]


def test_a_link_out_of_the_suite_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "secret.md", CASE_FILE)
    suite = chrome_suite(tmp_path / "suite", [entry(case_file="cases/EC-001-link.md")])
    (suite / "cases" / "EC-001-link.md").symlink_to(tmp_path / "secret.md")
    assert "leaves the suite's folder" in errors(read_suite(suite), suite)[0]


def test_an_id_of_another_kind_is_a_warning(tmp_path: Path) -> None:
    found = read_suite(chrome_suite(tmp_path, [entry(id="HERO-001")]))
    assert warnings(found, tmp_path) == [
        "registry.json#/cases/0: id 'HERO-001' does not follow EC-###"
    ]


def test_a_script_that_differs_from_the_case_file_is_a_warning(tmp_path: Path) -> None:
    found = read_suite(chrome_suite(tmp_path, [entry(conversation_script=["One.", "Two."])]))
    assert (
        "conversation_script and the case file say different things" in warnings(found, tmp_path)[0]
    )


def test_ambiguous_turn_numbers_are_a_warning(tmp_path: Path) -> None:
    fields = {
        "conversation_script": ["One.", "Two."],
        "turn_assertions": [{"turn": 1, "required_tool_calls": ["x"]}],
    }
    found = warnings(read_suite(chrome_suite(tmp_path, [entry(**fields)])), tmp_path)
    assert "turn_assertions are taken to count from 1" in found[1]


def test_a_readme_beside_the_case_files_is_no_case(tmp_path: Path) -> None:
    assert read_suite(chrome_suite(tmp_path, files={"cases/README.md": "# How"})).problems == ()


def test_a_category_that_is_nearly_a_known_one_is_a_warning(tmp_path: Path) -> None:
    """CEP-26: the names that chrome suites use; others are the author's own."""
    entries = [
        entry(id="EC-001", category="polcy"),
        entry(id="EC-002", category="policy"),
        entry(id="EC-003", category="gardening"),
    ]
    suite = read_suite(chrome_suite(tmp_path, entries))
    assert warnings(suite, tmp_path) == [
        "registry.json#/cases/0: EC-001: unknown category 'polcy' (did you mean 'policy'?)"
    ]


@pytest.mark.parametrize("id", ["/etc/hosts", "../../x", "**", "a\0b", "x" * 300, 7, None], ids=str)
def test_an_id_that_is_none_is_told_and_looks_for_no_files(tmp_path: Path, id: Any) -> None:
    suite = chrome_suite(tmp_path, [entry()])
    registry = json.loads((suite / "registry.json").read_bytes())
    registry["cases"].append({**registry["cases"][0], "id": id})
    (suite / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    assert any("registry.json#/cases/1" in each.where for each in read_suite(suite).errors)
