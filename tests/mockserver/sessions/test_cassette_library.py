"""The cassettes that a server knows."""

import os
from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.errors import MockServerError, SessionError
from mockserver.model import SessionSpec
from mockserver.sessions.cassette_library import CassetteLibrary, load_rules, make_redactor
from mockserver.sessions.session import with_sources
from mockserver.settings import Settings
from tests.tapes import recorded, written


def library(tmp_path: Path, *given: Path, suite: bool = True) -> CassetteLibrary:
    written(tmp_path / "suite" / "cassettes", [recorded()], name="own.yaml")
    (tmp_path / "suite" / "cassettes" / "notes.txt").write_text("", encoding="utf-8")
    settings = Settings(fixtures=tmp_path / "suite" if suite else None, cassettes=given)
    return CassetteLibrary(settings, APIS)


def spec(*names: str, **more: object) -> SessionSpec:
    return with_sources(SessionSpec.model_validate({"cassettes": names, **more}))


def test_it_knows_those_of_the_suite_and_those_it_was_given(tmp_path: Path) -> None:
    given = written(tmp_path, [recorded()], name="given.json")
    assert library(tmp_path, given).names() == ("given", "own")
    assert library(tmp_path, given, suite=False).names() == ("given",)


def test_a_session_without_cassettes_has_no_recordings(tmp_path: Path) -> None:
    assert library(tmp_path).replay(SessionSpec()) is None


def test_a_cassette_is_read_once_and_again_when_it_has_changed(tmp_path: Path) -> None:
    known = library(tmp_path)
    file = tmp_path / "suite" / "cassettes" / "own.yaml"
    first, second = known.replay(spec("own")), known.replay(spec("own"))
    assert first is not None
    assert second is not None
    assert first.keyer is second.keyer
    written(file.parent, [recorded(), recorded()], name="own.yaml")
    os.utime(file, ns=(1, 1))
    third = known.replay(spec("own"))
    assert third is not None
    assert len(third.unused()) == 2


def test_hosts_are_known_once_their_cassette_was_read(tmp_path: Path) -> None:
    given = written(tmp_path, [recorded(origin="http://[::1]:8443")], name="given.yaml")
    known = library(tmp_path, given)
    assert not known.is_recorded("::1")
    known.read_given()
    assert known.is_recorded("::1")
    assert not known.is_recorded("api.example.com")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (spec("own", sources=("state",)), "`cassette` is not among the sources"),
        (spec(sources=("cassette",)), "no cassette is named"),
        (spec("owl"), "no cassette 'owl' (did you mean 'own'?)"),
        (spec("../own"), "no cassette '../own'"),
    ],
)
def test_what_cannot_be_replayed_is_told(tmp_path: Path, asked: SessionSpec, says: str) -> None:
    with pytest.raises(SessionError) as error:
        library(tmp_path).replay(asked)
    assert says in str(error.value)


def test_a_link_that_leaves_the_folder_is_no_cassette(tmp_path: Path) -> None:
    known = library(tmp_path)
    outside = written(tmp_path, [recorded()], name="outside.yaml")
    (tmp_path / "suite" / "cassettes" / "link.yaml").symlink_to(outside)
    assert known.names() == ("own",)


def test_files_of_one_name_are_refused(tmp_path: Path) -> None:
    files = [written(tmp_path / name, [recorded()]) for name in "ab"]
    with pytest.raises(MockServerError, match="have the same name"):
        library(tmp_path, *files)


OWN = "rules:\n  - {name: badge, kind: badge, fields: [badge]}\n"


def test_rules_of_the_apis_and_of_the_user_stand_before_the_common_ones(tmp_path: Path) -> None:
    file = tmp_path / "redaction.yaml"
    file.write_text(OWN, encoding="utf-8")
    names = [rule.name for rule in load_rules(file, None, APIS).rules]
    assert {"badge", "directory_account", "directory_accounts"} & set(names) >= {"badge"}
    assert any(name.startswith("directory_") for name in names)
    assert len(names) == len(set(names))


def test_the_key_is_that_of_this_machine_and_none_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MOCKSERVER_REDACTION_KEY", raising=False)
    without = make_redactor(Settings(), ()).key_id
    assert not (tmp_path / "home").exists()
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")
    assert make_redactor(Settings(), ()).key_id != without
