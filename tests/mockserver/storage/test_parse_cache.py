from pathlib import Path
from unittest import mock

import pytest

from mockserver.errors import FormatError
from mockserver.model import Json
from mockserver.storage import parse_cache, untrusted_yaml
from mockserver.storage.parse_cache import cache_folder, parse_yaml

LARGE = "a: [1, 2.5, text, null]\n" + "# padding\n" * 10_000
VALUE: Json = {"a": [1, 2.5, "text", None]}


def test_a_large_text_is_parsed_once(tmp_path: Path) -> None:
    assert parse_yaml(LARGE, "x.yaml", tmp_path) == VALUE
    (kept,) = tmp_path.iterdir()
    with mock.patch.object(untrusted_yaml, "load_yaml", side_effect=AssertionError):
        assert parse_yaml(LARGE, "x.yaml", tmp_path) == VALUE
    kept.write_text("{")
    assert parse_yaml(LARGE, "x.yaml", tmp_path) == VALUE
    kept.unlink()
    assert parse_yaml(LARGE, "x.yaml", tmp_path) == VALUE


@pytest.mark.parametrize("text", ["a: 1", LARGE + "b: .nan", LARGE + "b: !!binary aGk="])
def test_what_is_small_or_no_json_is_not_kept(tmp_path: Path, text: str) -> None:
    parse_yaml(text, "x.yaml", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_cache_that_cannot_be_used_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (None, tmp_path / "file" / "cache", tmp_path / "file"):
        assert parse_yaml(LARGE, "x.yaml", folder) == VALUE
    with pytest.raises(FormatError, match=r"x\.yaml:10003"):
        parse_yaml(f"{LARGE}b: [", "x.yaml", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_oldest_entries_are_dropped(tmp_path: Path) -> None:
    for number in range(parse_cache._MOST_KEPT + 3):
        parse_yaml(f"{LARGE}b: {number}", "x.yaml", tmp_path)
    assert len(list(tmp_path.iterdir())) == parse_cache._MOST_KEPT


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"UNDERSTUDY_HOME": "/u", "XDG_CACHE_HOME": "/c"}, Path("/u/cache")),
        ({"XDG_CACHE_HOME": "/c"}, Path("/c/understudy")),
        ({"XDG_CACHE_HOME": "c"}, Path("/home/x/.cache/understudy")),
    ],
)
def test_the_folder_is_the_users(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], expected: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/x"))
    assert cache_folder(environ) == expected


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder({}) is None
