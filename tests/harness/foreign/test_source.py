"""Files of results are untrusted: bounded, and every refusal names the file."""

import io
import zipfile
from pathlib import Path

import pytest
import zstandard

from harness.errors import HarnessError
from harness.foreign import ReadOptions, SourceFile, read_results
from harness.foreign import source as reading

_LOG = '{"eval": {"task": "sums"}, "version": 2}'
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    '<testsuites><testsuite><testcase name="&b;"/></testsuite></testsuites>'
)
OUTSIDE = (
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    '<testsuite><testcase name="&e;"/></testsuite>'
)
DEEP = "<testsuites>" + "<testsuite>" * 50 + "</testsuite>" * 50 + "</testsuites>"


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return out.getvalue()


def log(*samples: bytes) -> bytes:
    members = {"header.json": _LOG.encode()}
    return archive(**members, **{f"samples/{i}.json": each for i, each in enumerate(samples)})


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty", b" \n", "is empty"),
        ("words", b"nothing that anyone knows", "known are logs of Inspect, "),
        ("json", b'{"a": 1}', "is in no format of results"),
        ("list", b"[1, 2]", "is in no format of results"),
        ("bomb.xml", BOMB.encode(), "it has a document type"),
        ("outside.xml", OUTSIDE.encode(), "is in no format"),
        ("deep.xml", DEEP.encode(), "more than 32 deep"),
        ("cut.xml", b"<testsuites><testsuite><testcase name='a'", "written to its end"),
        ("none.xml", b"<testsuites><testsuite/></testsuites>", "has no test in it"),
        ("nameless.xml", b"<testsuite><testcase/></testsuite>", "has no name"),
        ("bytes.xml", b"<testsuite><testcase name='\xff'/></testsuite>", "cannot be read as JUnit"),
        ("cut.json", b'{"eval": {"task": "sums"}, "samples": [{', "is not valid JSON"),
        ("headed.json", _LOG.encode(), "has no sample in it"),
        ("nested.json", b'{"eval": ' + b"[" * 5000 + b"]" * 5000 + b"}", "is not valid JSON"),
        ("cut.eval", log(b'{"id": 1}')[:-30], "is a broken ZIP file"),
        ("headed.eval", log(), "has no sample in it"),
        ("no-id.eval", log(b"{}"), "has a sample without an id"),
        ("list.eval", log(b"[1"), "is not valid JSON (samples/0.json)"),
        ("other.zip", archive(**{"a.txt": b"a"}), "is in no format of results"),
        ("cut.parquet", b"PAR1 and then nothing", "cannot be read as Parquet"),
        ("no-results.json", b'{"results": {"results": [], "stats": {}}}', "has no result in it"),
        ("checks.csv", b"case,trial,turn,kind,status,required\nA,1,,x,pass,true\n", "trials.csv"),
        ("no-rows.csv", b"case,status\n", "has no row in it"),
        ("no-case.csv", b"case,status\n,pass\n", "names no case in row 2"),
        ("latin.csv", b"case,status\n\xe9,pass\n", "is not UTF-8 text"),
        ("quoted.csv", b'case,status\n"A"B,pass\n', "is no CSV: line 1: "),
        ("runs.csv", b"case,status,run\nA,pass,r1\nA,pass,r2\n", "holds 2 runs (r1, r2)"),
        ("agents.csv", b"case,status,model\nA,pass,x\nA,fail,y\n", "--agent, one of 'x', 'y'"),
    ],
    ids=lambda each: each if isinstance(each, str) and "." in each else None,
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_the_file(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(HarnessError) as raised:
        read_results(SourceFile(path), ReadOptions())
    assert words in str(raised.value)
    assert name in str(raised.value) or "nameless" in name
    assert "root:" not in str(raised.value)


def test_a_file_that_is_not_there_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(HarnessError, match="No such file"):
        SourceFile(tmp_path / "gone.json")
    monkeypatch.setattr(reading, "LARGEST_FILE", 10)
    (tmp_path / "large.json").write_bytes(b"x" * 11)
    with pytest.raises(HarnessError, match="is larger than"):
        SourceFile(tmp_path / "large.json")


def zstandard_archive(name: str, content: bytes, crc: int | None = None) -> bytes:
    """A ZIP file whose member is packed by Zstandard, as Inspect writes it."""
    from zlib import crc32

    packed = zstandard.ZstdCompressor().compress(content)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as made:
        made.writestr(name, packed)
        info = made.infolist()[0]
        info.compress_type, info.file_size = 93, len(content)
        info.CRC = crc32(content) if crc is None else crc
    return out.getvalue()


def test_members_packed_by_zstandard_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(zstandard_archive("header.json", _LOG.encode()))
    assert SourceFile(path).archive.read("header.json") == _LOG.encode()
    path.write_bytes(zstandard_archive("header.json", _LOG.encode(), crc=1))
    with pytest.raises(HarnessError, match="checksum is wrong"):
        SourceFile(path).archive.read("header.json")
    path.write_bytes(path.read_bytes().replace(b"\x28\xb5\x2f\xfd", b"abcd"))
    with pytest.raises(HarnessError, match=r"broken member 'header\.json'"):
        SourceFile(path).archive.read("header.json")


@pytest.mark.parametrize("pack", [lambda name, it: archive(**{name: it}), zstandard_archive])
def test_an_archive_that_grows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: object
) -> None:
    monkeypatch.setattr(reading, "LARGEST_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.eval"
    path.write_bytes(pack("header.json", b"0" * (8 << 20)))  # type: ignore[operator]
    with pytest.raises(HarnessError, match="unpacks to more than 1 MiB"):
        SourceFile(path).archive.read("header.json")


def test_an_unknown_format_names_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("case,status\nA,pass\n", encoding="utf-8")
    with pytest.raises(HarnessError, match="unknown format 'junits'") as raised:
        read_results(SourceFile(path), ReadOptions(), "junits")
    assert "junit" in raised.value.hint
