import base64
import gzip
import io
import json
import tarfile
import zipfile
from random import Random

import pytest

from mockserver.model import Header
from mockserver.redaction import InteractionSanitizer, Redactor, RuleSet, large_bodies
from mockserver.redaction.large_bodies import LargeBody, NotRedactableError

KEY = b"a key for tests, thirty-two byte"
CHANCE = Random(5)
NOISE = CHANCE.randbytes(120_000)
MAIL = "ada.lovelace%d@quillbrook.io"
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "".join(base64.b64encode(CHANCE.randbytes(48)).decode() + "\n" for _ in range(26))
    + "-----END PRIVATE KEY-----\n"
)
PEOPLE = [
    {"id": number, "email": MAIL % (number % 40), "password": f"plum quartz {number % 7}",
     "tags": ["a", {"deep": [1, [2, {"er": None}]]}], "note": "the river and the fox " * 60}
    for number in range(70)
]  # fmt: skip
SHEET = "id,email,password,note\r\n" + "".join(
    f'{number},{MAIL % (number % 40)},plum{number},"she said ""no""\nand left {"so on " * 150}"\r\n'
    for number in range(110)
)
LOG = "".join(
    f"2026-01-02T03:04:05Z line {number} of {MAIL % (number % 40)}: {'and so on ' * 50}\n"
    + (PEM if number % 31 == 3 else "")
    for number in range(200)
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fragments of a size that tests can afford."""
    for name, size in (("FRAGMENT", 32), ("_SNIFFED", 8), ("WHOLE", 1024), ("WHOLE_ARCHIVE", 4096)):
        monkeypatch.setattr(f"mockserver.redaction.large_bodies.{name}", size << 10)


def through(content: bytes, media: str = "", step: int = 9_000) -> tuple[bytes, LargeBody]:
    headers: tuple[Header, ...] = (("Content-Type", media),) if media else ()
    large = LargeBody(
        InteractionSanitizer(Redactor(RuleSet.default(), KEY)), headers, "response body"
    )
    pieces = [content[start : start + step] for start in range(0, len(content), step)]
    return b"".join(map(large.feed, pieces)) + large.end(), large


def whole(content: bytes, media: str) -> bytes:
    sanitizer = InteractionSanitizer(Redactor(RuleSet.default(), KEY))
    return sanitizer.sanitize_fragment((("Content-Type", media),), content, "response body", [])


TEXTS = {
    "JSON": (json.dumps({"kind": "x", "items": PEOPLE, "next": "n"}), "application/json"),
    "a list": (json.dumps(PEOPLE, separators=(",", ":")), "application/json"),
    "indented": (json.dumps({"a": {"b": {"c": PEOPLE}}}, indent=2), "application/json"),
    "by name": (
        json.dumps({MAIL % 7: dict(enumerate(PEOPLE)), "password": "plum quartz"}), "text/plain"
    ),
    "guarded": (")]}'\n" + json.dumps(PEOPLE), "application/json"),
    "lines": ("".join(json.dumps(each) + "\n" for each in PEOPLE), "application/x-ndjson"),
    "lines named JSON": ("\n".join(map(json.dumps, PEOPLE)), "application/json"),
    "a sheet": (SHEET, "text/csv"),
    "a log": (LOG, "text/plain"),
    "a form": (
        "&".join(f"email={MAIL % n}&password=plum+{n}&t={'x' * 900}" for n in range(100)),
        "application/x-www-form-urlencoded",
    ),
    "XML on one line": (
        "".join(f"<u><m>{MAIL % (n % 40)}</m><t>{'so on ' * 160}</t></u>" for n in range(100)),
        "application/xml",
    ),
}  # fmt: skip


@pytest.mark.parametrize("step", [3_007, 10**9])
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_comes_out_the_same_in_fragments_as_whole(name: str, step: int) -> None:
    text, media = TEXTS[name]
    made, large = through(text.encode(), media, step)
    assert made == whole(text.encode(), media)
    assert large.changed
    assert b"quillbrook" not in made
    assert b"PRIVATE KEY-----\nMI" not in made


@pytest.mark.parametrize("name", ["JSON", "lines", "a sheet", "a log", "a form"])
def test_little_of_a_text_is_held(name: str) -> None:
    text, media = TEXTS[name]
    sanitizer = InteractionSanitizer(Redactor(RuleSet.default(), KEY))
    large = LargeBody(sanitizer, (("Content-Type", media),), "response body")
    fed = given = 0
    for start in range(0, len(text), 9_000):
        piece = text[start : start + 9_000].encode()
        fed, given = fed + len(piece), given + len(large.feed(piece))
        assert fed - given < 80_000 < len(text)


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_redacted_stays_as_it_is(name: str) -> None:
    text, media = TEXTS[name]
    once, _ = through(text.encode(), media)
    again, large = through(once, media)
    assert again == once
    assert not large.changed


STRINGS = {
    "base64": base64.b64encode(NOISE).decode(),
    "base64 without its end": base64.urlsafe_b64encode(NOISE[:-1]).decode().rstrip("="),
    "base64 without its ends": base64.urlsafe_b64encode(NOISE[:-2]).decode().rstrip("="),
    "base64 in lines": base64.encodebytes(NOISE).decode(),
    "words": "walks by the river " * 6_000,
}


@pytest.mark.parametrize("name", STRINGS)
def test_a_long_text_within_json_is_looked_through(name: str) -> None:
    value = {"a": [1, {"data": STRINGS[name], "password": "plum quartz"}], "z": MAIL % 1}
    made = json.loads(through(json.dumps(value).encode(), "application/json")[0])
    assert made["a"][1]["data"] == STRINGS[name]
    assert made["a"][1]["password"] != "plum quartz"
    assert "quillbrook" not in made["z"]


def test_words_within_a_long_text_are_redacted() -> None:
    long = f"write to {MAIL % 1} today, and walk by the river " * 2000
    made = json.loads(through(json.dumps({"text": long, "b": 1}).encode(), "application/json")[0])
    assert "quillbrook" not in made["text"]
    assert made["text"].count("walk by the river") == 2000


def tar(more: bytes = b"") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for number in range(200):
            entry = tarfile.TarInfo(f"notes/{number}.txt")
            content = b"walk by the river\n" * 40 + (more if number == 50 else b"")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def zipped(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("noise", NOISE * 20)
        archive.writestr("text", content)
    return made.getvalue()


SAME = {
    "an archive": zipped(b"walks by the river\n" * 4000),
    "noise": NOISE,
    "noise with text": NOISE + b"walks by the river and rests there " * 300 + NOISE,
    "tar": tar(),
    "gzip of noise": gzip.compress(NOISE * 30),
    "gzip of text": gzip.compress(b"walks by the river\n" * 30_000),
}


@pytest.mark.parametrize("step", [9_001, 10**9])
@pytest.mark.parametrize("name", SAME)
def test_bytes_that_hold_no_secret_stay_as_they_are(name: str, step: int) -> None:
    made, large = through(SAME[name], "application/octet-stream", step)
    assert made == SAME[name]
    assert not large.changed
    assert large.questions == []


def test_a_secret_in_bytes_is_replaced_where_nothing_is_torn_by_that() -> None:
    key = b"ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    made, large = through(NOISE + b"\0" + key + b"\0" + NOISE)
    assert large.changed
    assert key not in made
    assert (made[: len(NOISE)], made[-len(NOISE) :]) == (NOISE, NOISE)
    assert len(made) == 2 * len(NOISE) + len(key) + 2


REFUSED = {
    "a long text in bytes": (NOISE[:9_000] + b"x" * 200_000, "", "256 KiB"),
    "a known secret in bytes": (
        NOISE + (MAIL % 1).encode() + b" is whom to ask first\0" + NOISE, "", "tear it apart"
    ),
    "a password in a tar": (tar(b"password: hunter2\n"), "application/x-tar", "tear it apart"),
    "a text without a place to cut": (b"x" * (2 << 20), "text/plain", "no place"),
    "JSON that breaks off": (json.dumps(PEOPLE).encode()[:-9], "application/json", "is none"),
    "JSON of the wrong bracket": (
        json.dumps([PEOPLE, 1]).encode()[:-1] + b"}", "application/json", "is none"
    ),
    "no JSON": (b'{"a": ' + b"walk by the river " * 9_000, "application/json", "is none"),
    "gzip of what is secret": (gzip.compress(LOG.encode() * 4), "", "packed with gzip"),
    "gzip cut short": (gzip.compress(NOISE * 30)[:-4], "", "to its end"),
    "an archive": (b"PK\x03\x04" + NOISE * 40, "application/zip", "4 MiB"),
    "an archive that is none": (b"PK\x03\x04" + NOISE * 20, "application/zip", "be opened"),
    "an archive with secrets": (zipped(LOG.encode()), "application/zip", "ZIP archive, and some"),
    "a document": (b"%PDF-1.7" + NOISE * 20, "application/pdf", "1 MiB"),
    "base64 of what is secret": (
        json.dumps({"d": base64.b64encode(LOG.encode()).decode()}).encode(),
        "application/json", "base64",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_redacted_in_fragments_is_refused(name: str) -> None:
    content, media, why = REFUSED[name]
    with pytest.raises(NotRedactableError, match=why):
        through(content, media)


@pytest.mark.parametrize("place", range(26_000, 42_000, 1_213))
def test_a_secret_that_was_seen_is_found_across_every_border(place: int) -> None:
    sanitizer = InteractionSanitizer(Redactor(RuleSet.default(), KEY))
    secret = "Wq8zRt5Lm2Vx7Np4Kc9"
    sanitizer._redactor.stand_in("token", secret)
    large = LargeBody(sanitizer, (), "response body")
    content = NOISE[:place] + secret.encode() + NOISE[place:]
    with pytest.raises(NotRedactableError):
        list(map(large.feed, [content, NOISE, NOISE]))


def test_nothing_is_nothing() -> None:
    assert through(b"")[0] == b""


@pytest.mark.parametrize(
    ("head", "coded", "is_text"),
    [
        ("a€😀".encode()[:end], "utf-8", True) for end in range(9)
    ] + [(b"a\xff\xff\xff\xff", "utf-8", False), (b"a", "no such coding", False),
         (b"\xff\xffabcd", "utf-8", False)],
)  # fmt: skip
def test_a_text_may_end_within_a_character(head: bytes, coded: str, is_text: bool) -> None:
    assert large_bodies._is_text(head, coded) is is_text


NOT_JSON = b"walk by the river\n" * 200


@pytest.mark.parametrize(
    ("media", "head", "kind"),
    [
        ("", b"\x1f\x8b" + NOISE, "_Gzip"),
        ("", b"PK\x03\x04" + NOISE, "_Zip"),
        ("", b"%PDF" + NOISE, "_Whole"),
        ("", "wide".encode("utf-16"), "_Whole"),
        ("", "wide".encode("utf-16-le"), "_Whole"),
        ("", "wide".encode("utf-16-be"), "_Whole"),
        ("", "wide".encode("utf-16-le") * 250 + NOT_JSON, "_Whole"),
        ("", "wide".encode("utf-16-be") * 250 + NOT_JSON, "_Whole"),
        ("", "wide".encode("utf-16-le") * 249 + NOT_JSON, "_Bytes"),
        ("", "wide".encode("utf-16-be") * 249 + NOT_JSON, "_Bytes"),
        ("application/grpc+proto", NOT_JSON, "_Whole"),
        ("multipart/mixed", NOT_JSON, "_Whole"),
        *(
            ("application/octet-stream", bytes([first]) + NOT_JSON, kind)
            for first, kind in [
                (0x7F, "_Text"), (0x80, "_Whole"), (0x9F, "_Whole"), (0xA0, "_Bytes"),
                (0xDB, "_Bytes"), (0xDC, "_Whole"), (0xDF, "_Whole"), (0xE0, "_Bytes"),
            ]
        ),
        ("text/plain", b"\x80" + NOT_JSON, "_Bytes"),
        ("text/plain", b"\0" + NOT_JSON, "_Bytes"),
        ("text/plain", NOT_JSON, "_Text"),
        ("text/plain; charset=latin-1", b"\x80" + NOT_JSON, "_Text"),
        ("image/png", NOISE, "_Bytes"),
        ("application/x-ndjson", b'{"a": 1}', "_Text"),
        ("", b' {"a": 1}', "_JsonText"),
        ("", b"[1]", "_JsonText"),
        ("", b")]}'\n[1]", "_JsonText"),
        ("application/json", NOT_JSON, "_JsonText"),
        ("application/json", b'{"a": 1}\n{"b": 1}', "_Text"),
        ("application/json", b' [1] \n\n[2]', "_Text"),
        ("application/json", b'{"a": 1}\n1', "_JsonText"),
        ("application/json", b'1\n{"b": 1}', "_JsonText"),
        ("application/json", b'{"a": [{}\n]}', "_JsonText"),
        ("application/json", b'{"a": {}\n{}', "_JsonText"),
        ("application/json", b'{"a": 1}', "_JsonText"),
    ],
)  # fmt: skip
def test_how_a_body_is_cut_is_seen_at_its_begin(media: str, head: bytes, kind: str) -> None:
    headers = (("Content-Type", media),) if media else ()
    sanitizer = InteractionSanitizer(Redactor(RuleSet.default(), KEY))
    assert type(LargeBody(sanitizer, headers, "body")._kind_of(head)).__name__ == kind


class Shown:
    """Shows a piece as it is, but for what is to be replaced."""

    def preview(self, headers: tuple[Header, ...], content: bytes, /) -> bytes:
        return content.replace(b"ab", b"x")


@pytest.mark.parametrize(
    ("buffer", "place", "columns", "is_safe"),
    [
        (b"one\ntwo\n", 4, None, True),
        (b"a,b\nab\n", 5, b"a,b\n", False),
        (b"a,b\nab\n", 6, b"a,b\n", True),
        (b'"one\ntwo"\n', 5, None, True),
        (b'"one\ntwo"\n', 5, b"a\n", False),
        (b'"one\ntwo"\n', 10, b"a\n", True),
        (b"-----BEGIN A", 12, None, False),
        (b"-----BEGIN A" + b"." * (65_536 - 12), 65_536, None, False),
        (b"-----BEGIN A" + b"." * (65_536 - 11), 65_537, None, True),
        (b"-----BEGIN A\n-----END A\n", 23, None, True),
        (b"-----END A\n-----BEGIN A\n", 23, None, False),
        (b"a" + b"." * 4095 + b"b", 1, None, True),
        (b"a" + b"b", 1, None, False),
    ],
)  # fmt: skip
def test_a_place_to_cut_leaves_what_is_together(
    buffer: bytes, place: int, columns: bytes | None, is_safe: bool
) -> None:
    assert large_bodies._is_safe(Shown(), (), buffer, place, columns) is is_safe


def test_the_last_place_is_taken_and_few_are_tried() -> None:
    borders = (large_bodies._BORDERS[2], large_bodies._BORDERS[3])

    def place(middle: bytes) -> int:
        buffer = b"." * 5000 + middle + b"." * 4096
        return large_bodies._safe_place(Shown(), (), buffer, borders)

    assert place(b"..\n..\n..") == 5006
    assert place(b"..\n.. ..") == 5003
    assert place(b".......... ") == 5011
    assert place(b".") == 0
    assert place(b"\n-----BEGIN A" + b"\n" * 23) == 5001
    assert place(b"\n-----BEGIN A" + b"\n" * 24) == 0
