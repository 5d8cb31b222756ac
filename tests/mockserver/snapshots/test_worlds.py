import json
import os
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import FormatError, InvalidFilesError, SessionError
from mockserver.googleapi import Api, Collection, SnapshotImport
from mockserver.model import FEW, JsonObject, SessionSpec
from mockserver.snapshots.last_good import LastGoodSnapshots
from mockserver.snapshots.resolver import SnapshotResolver


def import_rows(into: SnapshotImport) -> None:
    for name in ("users", "groups"):
        into.tables[name] = {row["id"]: row for row in into.raw.get(name) or []}


APIS = tuple(
    Api(
        name=name,
        documents=(),
        handlers={},
        collections=(Collection(name, ""),),
        import_snapshot=import_rows if name == "users" else None,
    )
    for name in ("users", "groups", "settings")
)


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(tmp_path / "base" / "1.json", {"users": [{"id": "1"}], "settings": {"a": 1}})
    write(tmp_path / "base" / "2.json", {"groups": [{"id": "g"}], "settings": {"b": 2}})
    write(tmp_path / "EC-001" / "overrides.json", {"users": [{"id": "2"}]})
    write(tmp_path / "EC-002" / "overrides.json", {"settings": {"b": 3}})
    write(tmp_path / "registry.json", [{"id": "EC-003"}])
    return tmp_path


def keys(worlds: SnapshotResolver, spec: SessionSpec) -> list[str]:
    return list(worlds.base(spec).tables["users"].rows())


@pytest.mark.parametrize(
    ("spec", "users"),
    [
        (SessionSpec(), ["1"]),
        (SessionSpec(case="EC-001"), ["2"]),
        (SessionSpec(case="EC-003"), ["1"]),
        (SessionSpec(case="EC-001", overrides=()), ["1"]),
        (SessionSpec(overrides=("EC-001",)), ["2"]),
        (SessionSpec(overrides=("EC-001", {"users": []})), []),
        (SessionSpec(case="EC-001", base=False), ["2"]),
        (SessionSpec(base=False), []),
    ],
    ids=["base", "case", "no-override", "without", "named", "inline", "alone", "empty"],
)
def test_a_session_starts_from_base_and_overrides(
    suite: Path, spec: SessionSpec, users: list[str]
) -> None:
    """CEP-10, CEP-11, CEP-14, CEP-58."""
    assert keys(SnapshotResolver(suite, APIS), spec) == users


def test_a_snapshot_is_resolved_once_and_its_values_are_shared(suite: Path) -> None:
    worlds = SnapshotResolver(suite, APIS)
    first, second = worlds.base(SessionSpec()), worlds.base(SessionSpec(case="EC-002"))
    assert worlds.base(SessionSpec()) is first
    assert second is not first
    assert second.tables["users"] is first.tables["users"]
    assert worlds.merged_snapshot(SessionSpec(case="EC-002"))["settings"] == {"a": 1, "b": 3}


def test_a_changed_file_is_read_again_by_the_next_session(suite: Path) -> None:
    """CEP-34: a case is edited and run again without restarting the server."""
    worlds = SnapshotResolver(suite, APIS)
    assert keys(worlds, SessionSpec(case="EC-001")) == ["2"]
    path = suite / "EC-001" / "overrides.json"
    write(path, {"users": [{"id": "77"}]})
    os.utime(path, ns=(1, 1))
    assert keys(worlds, SessionSpec(case="EC-001")) == ["77"]


def test_resolved_snapshots_are_kept_up_to_a_limit(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.snapshots.resolver._KEPT", 1)
    worlds = SnapshotResolver(suite, APIS)
    first = worlds.base(SessionSpec())
    worlds.base(SessionSpec(case="EC-001"))
    assert worlds.base(SessionSpec()) is not first


@pytest.mark.parametrize(
    ("fixtures", "spec", "said"),
    [
        (True, SessionSpec(case="EC-01"),
         "unknown case 'EC-01' (did you mean 'EC-001'?)"),
        (True, SessionSpec(overrides=("EC-009",)),
         "no override 'EC-009' in {suite} (did you mean 'EC-002'?)"),
        (False, SessionSpec(case="EC-001"),
         "no case 'EC-001': the server was started without fixtures"
         " (start it with --fixtures DIR)"),
        (False, SessionSpec(overrides=("EC-001",)),
         "no override 'EC-001': the server was started without fixtures (start it with --fixtures"
         " DIR, or give the layer inline)"),
    ],
)  # fmt: skip
def test_an_unknown_case_or_override_is_refused(
    suite: Path, fixtures: bool, spec: SessionSpec, said: str
) -> None:
    worlds = SnapshotResolver(suite if fixtures else None, APIS)
    with pytest.raises(SessionError) as refused:
        worlds.base(spec)
    assert (str(refused.value), refused.value.status) == (
        said.format(suite=suite),
        404,
    )


def test_a_snapshot_is_at_hand_once_it_was_resolved(suite: Path) -> None:
    worlds = SnapshotResolver(suite, APIS)
    specs = SessionSpec(), SessionSpec(case="EC-001"), SessionSpec(overrides=({"users": []},))
    assert not any(map(worlds.is_at_hand, specs))
    for spec in specs:
        worlds.base(spec)
    assert list(map(worlds.is_at_hand, specs)) == [True, True, False]


def test_of_many_problems_the_first_few_are_told(suite: Path) -> None:
    few = FEW
    worlds = SnapshotResolver(suite, APIS)
    for more in 0, 2:
        unknown: JsonObject = {f"x{number:02}": [] for number in range(few + more)}
        with pytest.raises(InvalidFilesError) as refused:
            worlds.base(SessionSpec(overrides=(unknown,)))
        told = [f"inline[0]#/x{number:02}" for number in range(few)]
        found = [(each.where, each.message) for each in refused.value.problems]
        assert found[:few] == [(at, f"unknown collection {at[-3:]!r}") for at in told]
        assert found[few:] == [("...", "and 2 more")] * bool(more)


def test_of_large_inline_layers_the_latest_few_are_kept(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.snapshots.resolver._LARGE", 60)
    monkeypatch.setattr("mockserver.snapshots.resolver._KEPT_LARGE", 2)
    worlds = SnapshotResolver(suite, APIS)
    specs = [
        SessionSpec(overrides=({"users": [{"id": key}]},))
        for key in ("s", "a" * 60, "b" * 60, "c" * 60)
    ]
    small, first, _, latest = [worlds.base(spec) for spec in specs]
    assert worlds.base(specs[0]) is small
    assert worlds.base(specs[3]) is latest
    assert worlds.base(specs[1]) is not first


def test_so_many_good_snapshots_are_kept(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.snapshots.last_good._KEPT", 2)
    last = LastGoodSnapshots(SnapshotResolver(suite, APIS))
    cases = [SessionSpec(case=f"EC-00{number}") for number in (1, 2, 3)]
    for spec in cases:
        last.read(spec)
    (suite / "base" / "1.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError):
        last.base(cases[0])
    assert [list(last.base(spec).tables["users"].rows()) for spec in cases[1:]] == [["1"], ["1"]]


def test_while_a_file_is_broken_sessions_start_from_what_it_was(suite: Path) -> None:
    path, spec = suite / "EC-001" / "overrides.json", SessionSpec(case="EC-001")
    last = LastGoodSnapshots(SnapshotResolver(suite, APIS))
    assert not last.is_at_hand(spec)
    before = last.base(spec)
    assert last.is_at_hand(spec)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(FormatError):
        last.read(spec)
    assert last.base(spec) is before
    assert last.merged_snapshot(spec)["users"] == [{"id": "2"}]
    with pytest.raises(FormatError):
        last.base(SessionSpec(overrides=("EC-001",)))
    write(path, {"users": [{"id": "3"}]})
    assert list(last.read(spec).tables["users"].rows()) == ["3"]
    assert last.merged_snapshot(spec)["users"] == [{"id": "3"}]
    assert last.cases() == ("EC-001", "EC-002", "EC-003")


def test_what_cannot_be_served_is_named_with_its_file(suite: Path) -> None:
    write(suite / "EC-001" / "overrides.json", {"user": [], "faults": [{}]})
    with pytest.raises(InvalidFilesError) as refused:
        SnapshotResolver(suite, APIS).base(SessionSpec(case="EC-001"))
    places = [problem.where for problem in refused.value.problems]
    assert places == ["EC-001/overrides.json#/user", "EC-001/overrides.json#/faults/0/method"]


def test_without_fixtures_inline_layers_can_be_asked_for() -> None:
    worlds = SnapshotResolver(None, APIS)
    assert worlds.cases() == ()
    assert keys(worlds, SessionSpec(overrides=({"users": [{"id": "9"}]},))) == ["9"]


def test_the_cases_of_a_suite_are_listed(suite: Path) -> None:
    assert SnapshotResolver(suite, APIS).cases() == ("EC-001", "EC-002", "EC-003")


def test_a_broken_file_is_an_error_and_not_an_empty_one(suite: Path) -> None:
    (suite / "base" / "1.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match=r"1\.json:1:"):
        SnapshotResolver(suite, APIS).base(SessionSpec())


def test_of_several_broken_files_all_are_told(suite: Path) -> None:
    (suite / "base" / "0.json").write_text("{", encoding="utf-8")
    (suite / "base" / "9.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidFilesError) as caught:
        SnapshotResolver(suite, APIS).base(SessionSpec())
    assert [Path(problem.where).name for problem in caught.value.problems] == [
        "0.json:1:2",
        "9.json",
    ]


def test_problems_of_keys_that_look_like_pointers_have_their_place(tmp_path: Path) -> None:
    keys = ("a/" * 3_000 + "b", "x~2y", "~", "/")
    (tmp_path / "base").mkdir()
    (tmp_path / "base/a.json").write_text(json.dumps(dict.fromkeys(keys)), encoding="utf-8")
    found = SnapshotResolver(tmp_path).resolve(SessionSpec()).problems()
    escaped = (key.replace("~", "~0").replace("/", "~1") for key in keys)
    assert [each.where for each in found] == [f"base/a.json#/{key}" for key in escaped]


@pytest.mark.parametrize("pointer", ["/users/0/x~2y", "/users/" + "0/" * 2_000, "/users/٣"])
def test_a_pointer_that_leads_nowhere_is_placed_as_far_as_it_leads(
    tmp_path: Path, pointer: str
) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base/a.json").write_text('{"users": [{"id": "1"}]}', encoding="utf-8")
    where = SnapshotResolver(tmp_path).resolve(SessionSpec()).where(pointer)
    assert where == f"base/a.json#{pointer}"
