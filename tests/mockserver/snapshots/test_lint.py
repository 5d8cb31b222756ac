import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.errors import FormatError
from mockserver.model import Fault
from mockserver.snapshots import lint
from mockserver.snapshots.lint import (
    FaultMethods,
    OpaqueValues,
    find_broken_texts,
    find_stale_page_tokens,
    is_opaque,
    lint_suite,
    tools_of,
)
from tests.casefiles import put


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(tmp_path / "base" / "a.json", json.dumps({"capturedAt": "2026-11-01T00:00:00Z"}))
    write(tmp_path / "EC-001" / "overrides.json", "{}")
    return tmp_path


def test_what_of_a_document_is_not_served_is_told_with_its_place(suite: Path) -> None:
    get = {"responses": {"200": {"description": ""}}}
    document = {
        "openapi": "3.0.0",
        "paths": {
            "/a": {"get": {**get, "operationId": "same"}, "post": {**get, "operationId": "same"}},
            "/b/{c}-{d}": {"get": get},
            "/e": {"get": {"responses": {"default": {"content": {"text/xml": {"schema": {
                "type": "object"}}}}}}},
        },
    }  # fmt: skip
    write(suite / "apis" / "x.yaml", "api: shop\nopenapi: openapi/x.json\n")
    write(suite / "apis" / "openapi" / "x.json", json.dumps(document, indent=1))
    found = [str(each) for each in lint_suite(suite, content=False).problems]
    assert found == [
        "apis/openapi/x.json:19#/paths/~1a/post/operationId: has the operation id 'same' of"
        " #/paths/~1a/get",
        "apis/openapi/x.json:23#/paths/~1b~1{c}-{d}/get: is not served: its path has several"
        " placeholders in one segment, {c}-{d}",
        "apis/openapi/x.json:32#/paths/~1e/get: is not served: it answers text/xml alone, of which"
        " the document shows no example",
    ]
    write(
        suite / "apis" / "x.yaml", "api: shop\nopenapi: {file: openapi/x.json, synthesis: false}\n"
    )
    found = [each.message for each in lint_suite(suite, content=False).problems]
    assert sum("no collection serves it, and no answers are made up" in each for each in found) == 3


def test_the_first_few_operations_that_are_not_served_are_told(suite: Path) -> None:
    paths: dict[str, Any] = {f"/q?{n}": {"get": {"responses": {}}} for n in range(30)}
    write(suite / "apis" / "x.yaml", "api: shop\nopenapi: openapi/x.json\n")
    write(suite / "apis" / "openapi" / "x.json", json.dumps({"swagger": "2.0", "paths": paths}))
    found = [str(each) for each in lint_suite(suite, content=False).problems]
    assert len(found) == 21
    assert found[-1] == "apis/openapi/x.json:1#/paths: and 10 more operations are not served"


def test_a_sound_suite_has_no_problems(suite: Path) -> None:
    report = lint_suite(suite)
    assert (report.snapshots, report.problems) == (2, ())


def test_every_problem_is_told_once_with_its_file(suite: Path) -> None:
    """CEP-68: fixtures are validated; what cannot be served is named."""
    write(suite / "base" / "b.json", json.dumps({"errors": {"nothing": "X"}}))
    write(suite / "EC-001" / "overrides.json", json.dumps({"user": []}))
    write(suite / "EC-002" / "overrides.json", "{")
    problems = lint_suite(suite).problems
    assert [problem.where for problem in problems[:2]] == [
        "base/b.json#/errors/nothing",
        "EC-001/overrides.json#/user",
    ]
    assert problems[2].where == "EC-002/overrides.json:1:2"
    assert len(problems) == 3


def test_every_file_that_cannot_be_read_is_told(suite: Path) -> None:
    write(suite / "base" / "b.json", "{")
    write(suite / "base" / "c.json", "[]")
    problems = lint_suite(suite).problems
    assert [problem.where for problem in problems] == ["base/b.json:1:2", "base/c.json"]


def test_a_broken_override_is_told_beside_a_broken_base(suite: Path) -> None:
    write(suite / "base" / "b.json", "{")
    write(suite / "EC-001" / "overrides.json", "{")
    problems = lint_suite(suite).problems
    assert [item.where for item in problems] == ["base/b.json:1:2", "EC-001/overrides.json:1:2"]


def test_a_patch_that_does_not_fit_is_a_problem_of_its_case(suite: Path) -> None:
    write(suite / "EC-002" / "x.patch.json", '[{"op": "remove", "path": "/none"}]')
    (problem,) = lint_suite(suite).problems
    assert problem.where == "EC-002/x.patch.json#/0"


def test_a_long_override_is_a_warning(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CEP-69: keep fixtures short and focused."""
    monkeypatch.setattr(lint, "LONG_FIXTURE", 1)
    (problem,) = lint_suite(suite).problems
    assert (problem.level, problem.where) == ("warning", "EC-001/overrides.json")


def test_a_suite_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder"):
        lint_suite(tmp_path / "none")


def test_a_fault_that_no_method_meets_is_a_warning_at_its_place(suite: Path) -> None:
    fault = {"method": "directory.orgunit.list", "status": 503}
    write(suite / "EC-001" / "overrides.json", json.dumps({"faults": [fault]}))
    (problem,) = lint_suite(suite).problems
    assert (problem.where, problem.level) == ("EC-001/overrides.json#/faults/0", "warning")


def test_content_is_held_against_documents_and_common_mistakes(suite: Path) -> None:
    """CEPR-29, CEPR-30: wrong shapes and broken texts are told with file and place."""
    units = [{"name": "Sales", "paht": "/Sales", "orgUnitPath": "/Sales"}]
    write(suite / "base" / "b.json", json.dumps({"orgUnits": units}))
    override = {"orgUnits": [*units, {"name": "undefined", "orgUnitPath": "/x"}]}
    write(suite / "EC-001" / "overrides.json", json.dumps(override))
    content = [item.where for item in lint_suite(suite).problems]
    assert "base/b.json#/orgUnits/0/paht" in content
    assert "EC-001/overrides.json#/orgUnits/1/name" in content
    assert not {item.where for item in lint_suite(suite, content=False).problems} & set(content)


def test_a_long_text_of_a_case_is_a_warning(suite: Path) -> None:
    """CEP-69: keep fixtures short and focused."""
    write(suite / "EC-001" / "net.log", "x" * (lint.LONG_FIXTURE + 1))
    (problem,) = lint_suite(suite).problems
    assert (problem.level, problem.where) == ("warning", "EC-001/net.log")


def test_hints_come_last_and_only_when_asked_for(suite: Path) -> None:
    """CEP-68: opaque values are hints."""
    groups = [{"id": "01qdwywh9v2glu3", "email": "a@example.com", "nam": "A"}]
    write(suite / "base" / "b.json", json.dumps({"groups": groups}))
    levels = [item.level for item in lint_suite(suite, hints=True).problems]
    assert levels == ["warning", "hint"]
    assert [item.level for item in lint_suite(suite).problems] == ["warning"]


METHODS = FaultMethods(APIS)


@pytest.mark.parametrize(
    "method",
    [
        "directory.orgunits.list",
        "directory.*",
        "*",
        "*.list",
        "tools.listOrgUnits",
        "tools.mine",
        "tools.*",
        "directory.chromeosdevices.list",
        "drive.files.create",
        "drive.*",
        "sheets.spreadsheets.values.[gu]*",
        "monitoring.*.query_range",
        "metadata.token",
        "*.nothing.known",
    ],
    ids=str,
)
def test_a_fault_of_any_method_there_is_is_sound(method: str) -> None:
    assert list(METHODS.problems([Fault(method=method)], ["mine"])) == []


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("directory.orgunit.list", "directory.orgunits.list"),
        ("tools.listOrgUnit", "tools.listOrgUnits"),
        ("calendar.events.lst", "did you mean 'calendar.events.list'?"),
        ("calender.events.list", "did you mean 'calendar.events.list'?"),
        ("drive.documents.*", ""),
        ("nothing.*", ""),
        ("orgunits", ""),
    ],
    ids=str,
)
def test_a_fault_that_is_never_met_is_told_with_what_is_near(method: str, hint: str) -> None:
    (problem,) = METHODS.problems([Fault(method=method, origin="faults[2]")], [])
    assert (problem.where, problem.level) == ("/faults/2", "warning")
    assert method in problem.message
    assert hint in problem.hint


def test_tools_of_a_snapshot_are_methods_too() -> None:
    assert list(tools_of({"tools": {"mine": {}}})) == ["mine"]
    assert list(tools_of({"tools": None})) == []


NOW = datetime(2026, 5, 1, tzinfo=UTC)
KEY = "AIza" + "SyD3x4mpl3" * 3 + "abcde"


def told(suite: Path) -> list[str]:
    return [f"{item.level}: {item}" for item in lint_suite(suite, now=NOW).problems]


@pytest.mark.parametrize("name", ["base/a.json", "C-1/overrides.json", "C-1/a.patch.json"])
def test_a_key_that_stands_there_twice_is_an_error(tmp_path: Path, name: str) -> None:
    put(tmp_path / "base" / "0.json", '{"users": ')
    put(tmp_path / "base" / "all.json", "{}")
    text = '{"users": [{"id": "1", "id": "1"}], "users": []}'
    patch = '[{"op": "add", "path": "/users", "value": [], "value": []}]'
    put(tmp_path / name, patch if "patch" in name else text)
    (found,) = [line for line in told(tmp_path) if "0.json" not in line]
    assert found.startswith(f"error: {name}: the same key twice in one object: ")
    assert lint_suite(tmp_path, content=False).problems


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("base/all.json", '{"capturedAt": "2026-01-01T00:00:00Z",\n "users": [{"K": "$"}]}', 2),
        ("C-1/notes.txt", "one\ntwo $", 2),
        ("cases/C-1.yaml", "id: C-1\ninput: Use $\n", 2),
        ("guide.md", "$", 1),
    ],
)
def test_what_has_the_form_of_a_secret_is_told_without_it(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    put(tmp_path / "base" / "other.json", "{}")
    put(tmp_path / name, text.replace("$", KEY))
    (found,) = (item for item in told(tmp_path) if "secret" in item)
    assert found.startswith(f"warning: {name}:{line}: this has the form of a secret (api key)")
    assert KEY not in found


def test_invented_keys_and_other_files_are_no_secrets(tmp_path: Path) -> None:
    put(tmp_path / "base" / "all.json", "{}")
    put(tmp_path / "notes.txt", "AIza" + "X" * 35)
    put(tmp_path / "more.txt", "AIza" + "Example" * 5)
    put(tmp_path / "logo.png", KEY)
    (tmp_path / "latin.txt").write_bytes(b"\xff" + KEY.encode())
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    ("moment", "future"),
    [("2026-05-01T00:00:01Z", True), ("2026-05-01T00:00:00Z", False), ("soon", False)],
)
def test_a_snapshot_of_the_future_is_told(tmp_path: Path, moment: str, *, future: bool) -> None:
    put(tmp_path / "base" / "all.json", f'{{"capturedAt": "{moment}"}}')
    assert any("is in the future" in item for item in told(tmp_path)) == future


@pytest.mark.parametrize(
    ("folder", "nearly"), [("Base", True), ("bases", True), ("baseline", True), ("other", False)]
)
def test_a_folder_that_is_nearly_named_base_is_told(
    tmp_path: Path, folder: str, *, nearly: bool
) -> None:
    put(tmp_path / folder / "all.json", "{}")
    put(tmp_path / "registry.json", "[]")
    said = "is read by nobody: there is no snapshot in a folder named base"
    assert told(tmp_path) == [f"warning: {folder}: {said} (name it base)"] * nearly


def test_a_file_that_is_broken_is_told_where_it_is_read(tmp_path: Path) -> None:
    put(tmp_path / "base" / "all.json", "[" * 100_000)
    assert [item for item in told(tmp_path) if "twice" in item] == []


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("found [object Object] here", True),
        ("[object Promise]", True),
        ("undefined", True),
        (" NaN\n", True),
        ("users/undefined", True),
        ("share: NaN", True),
        ("id=undefined&x=1", True),
        ("behaviour is undefined", False),
        ("undefinedness", False),
        ("NaNo", False),
        ("an [object] of it", False),
    ],
    ids=str,
)
def test_texts_that_a_program_wrote_by_mistake_are_told(text: str, *, broken: bool) -> None:
    """CEPR-30: no `[object Object]` in a fixture or in the output of a tool."""
    raw = {"tools": {"t/x": {"responses": [{"result": {"text": text}}]}}}
    found = [problem.where for problem in find_broken_texts(raw)]
    assert found == (["/tools/t~1x/responses/0/result/text"] if broken else [])


def test_the_page_token_of_a_capture_is_stale() -> None:
    raw: dict[str, Any] = {
        "auditEvents": {"items": [], "nextPageToken": "abc"},
        "users": [],
        "orgUnits": {"items": [], "nextPageToken": ""},
        "tools": {"nextPageToken": {"responses": []}},
    }
    assert [item.where for item in find_stale_page_tokens(raw)] == ["/auditEvents/nextPageToken"]


@pytest.mark.parametrize(
    ("text", "opaque"),
    [
        ("policies/akajj264apgibxyz5", True),
        ("id:03ph8a2z23yjui6", True),
        ("124062053255204345285", True),
        ("7f9c24e8-3b1a-4f8e-9d2c-5a6b7c8d9e0f", True),
        ("Engineering", False),
        ("2026-11-20T09:00:00.000Z", False),
        ("126.0.6478.61", False),
        ("chrome.users.SafeBrowsing", False),
        ("windows10", False),
        ("a1b2c3d", False),
        ("a1b2c3de", True),
        ("a1b2cdef", False),
        ("123456789012", True),
        ("12345678901", False),
        ("2026-11-20T09a1b2c3", False),
        ("", False),
    ],
    ids=str,
)
def test_identifiers_are_told_from_what_people_read(text: str, *, opaque: bool) -> None:
    assert is_opaque(text) is opaque


def test_opaque_values_are_hints_with_the_name_that_people_know() -> None:
    """CEP-68: opaque values such as policy ids are reported as hints for a UI."""
    raw: dict[str, Any] = {
        "orgUnits": [{"orgUnitId": "id:03ph8a2z23yjui6", "orgUnitPath": "/Engineering"}],
        "identityPolicies": [
            {
                "name": f"policies/akajj264apgibxyz{number}",
                "policyQuery": {"orgUnit": "orgUnits/03ph8a2z23yjui6"},
                "etag": "akajj264apgibxyz",
            }
            for number in range(3)
        ],
        "groups": [{"id": "01qdwywh9v2glu3", "name": "Pilot"}, "not an object"],
    }
    hints = {item.where: item for item in OpaqueValues().hints(raw)}
    assert list(hints) == [
        "/orgUnits/0/orgUnitId",
        "/identityPolicies/0/name",
        "/identityPolicies/0/policyQuery/orgUnit",
        "/groups/0/id",
    ]
    assert {item.level for item in hints.values()} == {"hint"}
    assert "people know it as '/Engineering'" in str(
        hints["/identityPolicies/0/policyQuery/orgUnit"]
    )
    assert "3 such in /name of identityPolicies" in hints["/identityPolicies/0/name"].hint
    assert "people know it as 'Pilot'" in str(hints["/groups/0/id"])
