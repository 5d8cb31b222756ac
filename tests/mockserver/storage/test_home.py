import threading
from pathlib import Path

import pytest

from mockserver.errors import MockServerError
from mockserver.storage.home import home_folder, private_folder, write_whole


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"UNDERSTUDY_HOME": "/u", "XDG_DATA_HOME": "/x"}, "/u"),
        ({"XDG_DATA_HOME": "/x"}, "/x/understudy"),
        ({"XDG_DATA_HOME": "relative"}, "/home/ann/.local/share/understudy"),
        ({}, "/home/ann/.local/share/understudy"),
    ],
    ids=["own", "data", "relative", "home"],
)
def test_the_folder_is_the_users(
    environ: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert home_folder(environ) == Path(folder)


def test_without_any_home_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(MockServerError, match="set UNDERSTUDY_HOME"):
        home_folder({})


def test_only_the_owner_may_enter(tmp_path: Path) -> None:
    assert private_folder(tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    (tmp_path / "c").mkdir(mode=0o755)
    assert private_folder(tmp_path / "c").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(MockServerError, match=r"cannot use .*file"):
        private_folder(tmp_path / "file")


def test_a_file_is_written_with_its_mode_and_nothing_else_is_left(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a", b"1", mode=0o600)
    assert write_whole(tmp_path / "a", b"2", mode=0o644)
    assert not write_whole(tmp_path / "a", b"3", mode=0o600, replace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"2"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644


def test_of_many_who_write_at_once_one_is_first(tmp_path: Path) -> None:
    won: list[int] = []

    def race(number: int) -> None:
        if write_whole(tmp_path / "a", b"%d" % number, mode=0o600, replace=False):
            won.append(number)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert (tmp_path / "a").read_bytes() == b"%d" % won[0]


def test_a_folder_that_is_not_there_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="cannot write"):
        write_whole(tmp_path / "no" / "a", b"", mode=0o600)
