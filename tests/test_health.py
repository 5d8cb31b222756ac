import json
from pathlib import Path

import pytest

from tests import health


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("mockserver/redaction/readers/forms.py", "mockserver/redaction"),
        ("mockserver/routing.py", "mockserver/routing.py"),
        ("tests/mockserver/redaction/test_laws.py", "mockserver/redaction"),
        ("tests/mockserver/test_routing.py", "mockserver/routing.py"),
        ("tests/hostile/test_mcp.py", "tests/hostile"),
    ],
)
def test_a_test_belongs_to_the_room_that_it_tests(path: str, room: str) -> None:
    assert health.room_of(path) == room


def test_functions_with_the_same_body_are_found_whatever_their_names(tmp_path: Path) -> None:
    body = "    a = n\n    b = a\n    c = b\n    d = c\n    return d\n"
    source = tmp_path / "alike.py"
    source.write_text(f"def one(n):\n    'Told.'\n{body}def two(n):\n{body}def three(m):\n{body}")
    [group] = health.duplicates(health.functions(source, tmp_path))
    assert [each.place.split()[1] for each in group] == ["one", "two"]
    assert {each.statements for each in group} == {5}


def test_a_module_that_only_its_sibling_imports_is_named() -> None:
    imported = {"a.b": ["a.c", "x"], "a.c": ["a.d", "a.c"], "a.d": [], "e.f": ["a.d", "a.b"]}
    assert health.single_importers(imported) == {"a.c": "a.b"}


def test_results_are_added_up_by_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "RESULTS", tmp_path)
    monkeypatch.setattr(health, "RESULT", tmp_path / "mutants.json")
    assert (health.mutants_of_rooms(), health.seconds_of_rooms()) == ({}, {})
    modules = {"harness/checks/a.py": [True, False], "harness/checks/b.py": [True]}
    (tmp_path / "mutants.json").write_text(json.dumps(modules))
    name = "tests.mockserver.redaction.test_laws"
    cases = "".join(
        f'<testcase classname="{classname}" name="x" time="1.5"/>'
        for classname in (name, f"{name}.TestOf", "")
    )
    (tmp_path / "quick.xml").write_text(f"<testsuites>{cases}</testsuites>")
    assert health.mutants_of_rooms() == {"harness/checks": "2/3"}
    assert health.seconds_of_rooms() == {"mockserver/redaction": 3.0}
