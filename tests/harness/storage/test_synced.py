"""What a store is known to hold: told by its own digests, or by notes."""

import base64
import hashlib
from pathlib import Path

import pytest

from harness.storage.object_store import StoredObject
from harness.storage.synced import (
    SYNCED,
    Agreement,
    add_agreements,
    agree,
    has_digest,
    is_synced,
    read_agreements,
    unsent_records,
)

MD5 = hashlib.md5(b"content", usedforsecurity=False)


@pytest.mark.parametrize(
    ("tag", "equal"),
    [
        (MD5.hexdigest(), True),  # Amazon's ETag
        (base64.b64encode(MD5.digest()).decode(), True),  # Google's md5Hash
        (f"{MD5.hexdigest()}-3", False),  # of parts: unknown
        ("2026-11-20 10:00:00", False),
        ("", False),
    ],
)
def test_a_store_tells_the_digest_of_a_content(tag: str, *, equal: bool) -> None:
    assert has_digest(StoredObject("k", 7, tag), MD5.hexdigest()) is equal


def test_the_last_note_counts_and_lines_that_were_cut_off_do_not(tmp_path: Path) -> None:
    record = tmp_path / "trials" / "A" / "1.json"
    record.parent.mkdir(parents=True)
    record.write_bytes(b"old")
    assert unsent_records(tmp_path) == [record]
    add_agreements(tmp_path, {"trials/A/1.json": agree(record, b"old")})
    assert unsent_records(tmp_path) == []
    record.write_bytes(b"newer")
    assert unsent_records(tmp_path) == [record]
    add_agreements(tmp_path, {"trials/A/1.json": agree(record, b"newer", "tag")})
    with (tmp_path / SYNCED).open("ab") as file:
        file.write(b'["trials/A/1.json", "ta\n[1, 2]\n{}\n7\n["cut')
    known = read_agreements(tmp_path)
    assert known["trials/A/1.json"].tag == "tag"
    assert is_synced(tmp_path, record, known)


def test_notes_that_cannot_be_written_make_files_look_unsent(tmp_path: Path) -> None:
    (tmp_path / SYNCED).mkdir()
    add_agreements(tmp_path, {"a": Agreement("", "", "")})
    assert read_agreements(tmp_path) == {}
