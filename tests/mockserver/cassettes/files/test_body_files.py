import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.files.body_files import (
    BodyFileError,
    BodyWriter,
    bodies_folder,
    body_path,
    files_of,
    open_body,
    publish_files,
    read_body,
    read_pieces,
)
from mockserver.cassettes.foreign import read_foreign
from mockserver.errors import FormatError, MockServerError
from mockserver.model import BodyFile, Interaction, RecordedRequest, RecordedResponse
from tests.tapes import cassette

CONTENT = bytes(range(256)) * 4096


def kept(folder: Path, content: bytes = CONTENT) -> BodyFile:
    writer = BodyWriter(folder)
    for start in range(0, len(content), 1000):
        writer.write(content[start : start + 1000])
    return writer.finish()


def with_body(file: BodyFile) -> Interaction:
    return Interaction(
        RecordedRequest("PUT", "https://api.example.com/a", file=file),
        RecordedResponse(200, "OK", (("Content-Type", "image/png"),), file=file),
    )


def test_a_body_is_named_by_its_content_and_kept_once(tmp_path: Path) -> None:
    first, second = kept(tmp_path / "a.bodies"), kept(tmp_path / "a.bodies")
    assert first == second
    assert [path.name for path in (tmp_path / "a.bodies").iterdir()] == [f"{first.digest}.bin"]
    assert body_path(first).stat().st_mode & 0o777 == 0o600
    assert read_body(first) == CONTENT


def test_what_is_not_finished_leaves_nothing(tmp_path: Path) -> None:
    writer = BodyWriter(tmp_path / "a.bodies")
    writer.write(CONTENT)
    writer.drop()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
@pytest.mark.parametrize("read", [read_cassette, lambda path: read_foreign(path)[0]])
def test_a_cassette_names_its_bodies_and_finds_them(
    tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    given = cassette(with_body(kept(tmp_path / "a.bodies")), name=name)
    write_cassette(given, tmp_path / name)
    assert read(tmp_path / name) == given
    for file in files_of(read_cassette(tmp_path / name).interactions):
        assert read_body(file) == CONTENT


def test_a_cassette_that_is_written_elsewhere_takes_its_bodies_along(tmp_path: Path) -> None:
    given = cassette(with_body(kept(tmp_path / "a.bodies")))
    (tmp_path / "b").mkdir()
    write_cassette(given, tmp_path / "b" / "c.json")
    [file, _] = files_of(read_cassette(tmp_path / "b" / "c.json").interactions)
    assert Path(file.folder) == tmp_path / "b" / "c.bodies"
    assert read_body(file) == CONTENT


def gone(path: Path) -> None:
    path.unlink()


def altered(path: Path) -> None:
    path.write_bytes(b"x" + CONTENT[1:])


def shorter(path: Path) -> None:
    path.write_bytes(CONTENT[1:])


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def folder_link(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))
    path.parent.symlink_to(path.parent.with_name("elsewhere"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [gone, altered, shorter, link, folder_link, pipe])
def test_a_body_that_is_not_what_was_recorded_is_an_error_with_its_name(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    file = kept(tmp_path / "a.bodies")
    spoil(body_path(file))
    with pytest.raises(BodyFileError, match=file.digest):
        open_body(file)


def test_a_body_that_changes_after_it_was_read_is_an_error(tmp_path: Path) -> None:
    file = kept(tmp_path / "a.bodies")
    assert read_body(file) == CONTENT
    body_path(file).write_bytes(CONTENT[:-1] + b"?")
    with pytest.raises(BodyFileError, match="was changed"):
        open_body(file)


HOSTILE = {
    "{sha256: ../../../../etc/passwd, bytes: 9}": "64 hexadecimal digits",
    "{sha256: '" + "A" * 64 + "', bytes: 9}": "64 hexadecimal digits",
    "{sha256: '" + "a" * 64 + "', bytes: -1}": "no size",
    "{sha256: '" + "a" * 64 + "', bytes: 99999999999999999}": "no size",
    "{sha256: '" + "a" * 64 + "', bytes: true}": "no size",
    "{sha256: '" + "a" * 64 + "'}": "has no `bytes`",
    "{sha256: '" + "a" * 64 + "', bytes: 9, path: /etc/passwd}": "sha256 and bytes",
    "/etc/passwd": "expected a mapping",
}


@pytest.mark.parametrize(("written", "why"), HOSTILE.items())
def test_a_hostile_reference_is_named(tmp_path: Path, written: str, why: str) -> None:
    path = tmp_path / "a.yaml"
    write_cassette(cassette(with_body(kept(tmp_path / "a.bodies"))), path)
    text = path.read_text(encoding="utf-8")
    start = text.index("file: ") + 6
    path.write_text(text[:start] + written + text[text.index("\n", start) :], encoding="utf-8")
    with pytest.raises(FormatError, match=why):
        read_cassette(path)


def test_only_what_no_cassette_needs_is_deleted_and_only_what_is_ours(tmp_path: Path) -> None:
    needed, left = kept(tmp_path / "a.bodies"), kept(tmp_path / "a.bodies", b"other")
    foreign = tmp_path / "a.bodies" / "notes.txt"
    foreign.write_text("mine", encoding="utf-8")
    (tmp_path / "a.bodies" / f".{'0' * 16}.part").write_bytes(b"half")
    publish_files(tmp_path / "a.bodies", [needed])
    assert {path.name for path in (tmp_path / "a.bodies").iterdir()} == {
        f"{needed.digest}.bin", "notes.txt"
    }  # fmt: skip
    assert not body_path(left).exists()
    assert body_path(needed).stat().st_mode & 0o777 == 0o644


def test_a_full_disk_leaves_nothing_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    writer = BodyWriter(tmp_path / "a.bodies")
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(MockServerError, match="No space left"):
        writer.write(CONTENT)
    assert list(tmp_path.iterdir()) == []


def test_a_body_is_read_in_pieces_and_a_very_large_one_never_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept(tmp_path / "a.bodies")
    assert max(map(len, read_pieces(open_body(file)))) <= 256 * 1024
    monkeypatch.setattr("mockserver.cassettes.files.body_files.LARGEST_IN_MEMORY", 10)
    with pytest.raises(BodyFileError, match="only sent as it is"):
        read_body(file)


def test_two_that_write_the_same_body_at_once_both_have_it(tmp_path: Path) -> None:
    made: list[BodyFile] = []
    threads = [
        threading.Thread(target=lambda: made.append(kept(tmp_path / "a.bodies"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert {read_body(replace(each, folder=str(tmp_path / "a.bodies"))) for each in made} == {
        CONTENT
    }


def test_recordings_and_reviews_share_the_folder_of_their_cassette() -> None:
    names = ("a.yaml", "a.json", "a.recording.yaml", "a.review.yaml")
    assert {bodies_folder(Path(name)).name for name in names} == {"a.bodies"}
