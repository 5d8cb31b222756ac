import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.drift.case_reads import find_case_reads, find_cases
from mockserver.drift.comparison import Change, Tier
from mockserver.drift.documents import Documents
from mockserver.errors import FormatError

USERS = {"users": [{"id": "1", "name": {"fullName": "Ann"}}]}


def trial(run: Path, case: str, answers: dict[str, Any], *, status: int = 200) -> None:
    entries = [
        {"method_id": method, "status": status, "response_ref": f"{case}{method}"}
        for method in answers
    ]
    bodies = {
        f"{case}{method}": answer if isinstance(answer, str) else json.dumps(answer)
        for method, answer in answers.items()
    }
    path = run / "trials" / case / "1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"journal": {"entries": entries, "bodies": bodies}}), "utf-8")


def read_by(run: Path, subject: str, path: str) -> tuple[str, ...]:
    change = Change(Tier.REMOVED, subject, path, "")
    return find_cases([change], find_case_reads(run), Documents(APIS))[change]


def test_the_cases_that_read_a_field_are_told(tmp_path: Path) -> None:
    trial(tmp_path, "EC-002", {"directory.users.list": USERS})
    trial(tmp_path, "EC-001", {"directory.users.list": USERS, "": USERS, "x": "base64:AA"})
    trial(tmp_path, "EC-003", {"directory.users.list": {"users": []}})
    trial(tmp_path, "EC-004", {"directory.users.list": USERS}, status=403)
    (tmp_path / "trials" / "EC-001" / "1.infra-1.json").write_text("{", encoding="utf-8")
    assert read_by(tmp_path, "directory.users.list", "/users/*/id") == ("EC-001", "EC-002")
    assert read_by(tmp_path, "directory.users.list", "/users/*/age") == ()
    assert read_by(tmp_path, "directory.users.list", "") == ("EC-001", "EC-002", "EC-003")


def test_a_field_of_a_collection_is_read_where_answers_hold_its_resources(tmp_path: Path) -> None:
    trial(tmp_path, "EC-001", {"directory.users.get": USERS["users"][0]})
    trial(tmp_path, "EC-002", {"directory.users.list": USERS})
    trial(tmp_path, "EC-003", {"directory.groups.list": {"groups": [{"id": "1"}]}})
    assert read_by(tmp_path, "users", "/name/fullName") == ("EC-001", "EC-002")
    assert read_by(tmp_path, "dlpRules", "/name") == ()


def test_a_folder_that_is_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is no run directory"):
        find_case_reads(tmp_path)


@pytest.mark.parametrize("content", ["{", "{}", '{"journal": {"entries": [{}]}}', "[]"], ids=str)
def test_a_trial_that_cannot_be_read_is_an_error(tmp_path: Path, content: str) -> None:
    trial(tmp_path, "EC-001", {})
    (tmp_path / "trials" / "EC-001" / "1.json").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match="is no record of a trial"):
        find_case_reads(tmp_path)
