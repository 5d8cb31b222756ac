"""Texts within texts: percent-coded, base64, hex and gzip are opened, redacted and closed again."""

import binascii
import re
import zlib
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, unquote

Redact = Callable[[str], str]

_LEAST = 12
_RUN_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_MARKS = bytes(
    ord("x") if sign in _RUN_SIGNS else sign if sign == ord("=") else 32 for sign in range(256)
)
_MARKED = re.compile(b"x" * _LEAST + b"x*={0,2}")
_CODED = re.compile(r"[^\s\"'<>&?#=;,|\\]*%[0-9A-Fa-f]{2}[^\s\"'<>&?#=;,|\\]*")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TO_STANDARD = str.maketrans("-_", "+/")
_GZIP = b"\x1f\x8b"
_ZLIB = b"\x78"
_LARGEST = 64 * 1024 * 1024
_SAFE = "/:@!$'()*+,-._~"


def has_openings(text: str) -> bool:
    """Whether something in a text may be opened; cheap."""
    return "%" in text or _MARKED.search(_marked(text)) is not None


def _marked(text: str) -> bytes:
    """A text with an `x` for each sign of base64; each of its signs is one byte."""
    return text.encode("ascii", "replace").translate(_MARKS)


def percent_words(text: str, redact: Redact) -> str:
    """A text whose percent-coded words are redacted inside."""
    if _PERCENT.search(text) is None:
        return text
    return _CODED.sub(lambda found: percent_word(found[0], redact), text)


def percent_word(word: str, redact: Redact) -> str:
    """One percent-coded word, redacted inside; as it was where nothing is replaced."""
    try:
        plain = unquote(word, errors="strict")
    except UnicodeDecodeError:
        return word
    made = redact(plain)
    if made == plain:
        return word
    # what was written plainly stays plain, what was coded is coded again
    shown = "".join(sign for sign in _SAFE if sign in _PERCENT.sub("", word))
    return quote(made, safe=shown)


def runs(text: str, redact: Redact) -> str:
    """A text whose runs of base64 and hex are redacted inside."""
    done, last = [], 0
    for found in _MARKED.finditer(_marked(text)):
        start, end = found.span()
        run = text[start:end]
        if end - start > _LONGEST or _may_open(run):
            done += [text[last:start], _run(run, redact)]
            last = end
    return "".join([*done, text[last:]]) if done else text


_LONGEST = 256
"""Signs; longer runs come once."""


@lru_cache(maxsize=8192)
def _may_open(run: str) -> bool:
    """Whether a run, or a piece of it, may be a text in another coding; most are names and ids."""
    pieces = [run, *(run.split("/") if "/" in run else ())]
    return any(
        _may_be_text(opened[0])
        for piece in pieces
        if len(piece) >= _LEAST
        for opened in (_from_hex(piece), _from_base64(piece))
        if opened is not None
    )


def _may_be_text(content: bytes) -> bool:
    """Whether `redacted_content` may give anything else than None."""
    if content.startswith((_GZIP, _ZLIB)):
        return True
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _may_be_raw(content) and _begins(content)
    return not _CONTROL.search(text)


def _begins(content: bytes) -> bool:
    try:
        zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, _LEAST)
    except zlib.error:
        return False
    return True


def _run(run: str, redact: Redact) -> str:
    made = _opened(run, redact)
    if made is not None or "/" not in run:
        return run if made is None else made
    pieces = run.split("/")  # a path, one segment of which is coded
    return "/".join(
        (_opened(piece, redact) or piece) if len(piece) >= _LEAST else piece for piece in pieces
    )


def _opened(run: str, redact: Redact) -> str | None:
    for decode in (_from_hex, _from_base64):
        opened = decode(run)
        if opened is None:
            continue
        content, encode = opened
        made = redacted_content(content, redact)
        if made is not None:
            return encode(made)
    return None


def redacted_content(content: bytes, redact: Redact) -> bytes | None:
    """Bytes that are a text, or the gzip of one, redacted; None where nothing is replaced."""
    if content.startswith(_GZIP):
        return _deflated(content, redact, zlib.MAX_WBITS | 16)
    if content[:1] == _ZLIB and int.from_bytes(content[:2]) % 31 == 0:
        made = _deflated(content, redact, zlib.MAX_WBITS)
        if made is not None:
            return made
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _deflated(content, redact, -zlib.MAX_WBITS) if _may_be_raw(content) else None
    if _CONTROL.search(text):
        return None
    made_text = redact(text)
    return None if made_text == text else made_text.encode("utf-8", "surrogatepass")


def _may_be_raw(content: bytes) -> bool:
    """Whether bytes may be deflated without a head: no block of the kind that there is none of."""
    return len(content) <= _LARGEST_RAW and content[0] & 0b110 in {0b010, 0b100}


_LARGEST_RAW = 64 * 1024


def _deflated(content: bytes, redact: Redact, window: int) -> bytes | None:
    opener = zlib.decompressobj(window)
    try:
        plain = opener.decompress(content, _LARGEST)
    except zlib.error:
        return None
    if window < 0 and (not opener.eof or opener.unused_data or len(plain) < _LEAST):
        return None
    made = redacted_content(plain, redact)
    if made is None:
        return None
    coder = zlib.compressobj(wbits=window)
    return coder.compress(made) + coder.flush()


Encode = Callable[[bytes], str]


def _from_hex(run: str) -> tuple[bytes, Encode] | None:
    if _HEX.fullmatch(run) is None:
        return None

    def encode(content: bytes) -> str:
        return content.hex().upper() if run.isupper() else content.hex()

    return bytes.fromhex(run), encode


def _from_base64(run: str) -> tuple[bytes, Encode] | None:
    bare = run.rstrip("=")
    if len(bare) % 4 == 1:
        return None
    url_safe = "-" in bare or "_" in bare
    if url_safe and ("+" in bare or "/" in bare):
        return None
    signs = b"-_" if url_safe else b"+/"
    try:
        content = binascii.a2b_base64(bare.translate(_TO_STANDARD) + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return None
    padded = run.endswith("=") or len(bare) % 4 == 0

    def encode(made: bytes) -> str:
        text = b64encode(made, altchars=signs).decode()
        return text if padded else text.rstrip("=")

    return content, encode
