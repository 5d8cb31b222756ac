"""Finds secrets that nobody has seen: by the rules' patterns, by detect-secrets, by randomness."""

import contextlib
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from mockserver.redaction.checks import passes
from mockserver.redaction.leakentropy import random_texts
from mockserver.redaction.leakplugins import vendor_secrets
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.reserved import pseudonyms_in, stands_for_all
from mockserver.redaction.rules import RuleSet

_REMEMBERED = 50_000
_AROUND, _AROUND_LONG = 64, 2048
"""Bytes around a finding in which the pseudonym is looked for that it may be a part of."""

_LONG = re.compile(rb"cmVkYWN0ZWQt|BEGIN PRIVATE KEY")
"""What a long pseudonym has in it: a JWT, a private key."""

_WORTH = re.compile(r"[^\W_]{4,}")
_RANDOM_SIZE = 12
"""What is shorter is the name of what the random text was assigned to."""

_BOUNDARY = re.compile(rb"""boundary=["']?([^\s"';,]{8,70})""")
_SCHEMES = frozenset({"bearer", "basic", "token", "https", "http"})


class _Candidate(NamedTuple):
    start: int
    text: bytes
    kind: str
    check: str = ""


class Unknown:
    """Looks for what looks like a secret, and neither stands for nobody nor is allowed.

    Args:
        rules: Their patterns are looked for; what they allow is none.
    """

    def __init__(self, rules: RuleSet) -> None:
        import re2

        self._patterns = [
            (rule, re2.compile(rule.pattern.encode())) for rule in rules.rules if rule.pattern
        ]
        self._allowed = [re2.compile(pattern) for pattern in rules.allow]
        self._pseudonyms = Pseudonyms(b"any key: what stands for nobody stays as it is")
        self._boundaries: set[bytes] = set()
        self._harmless: dict[tuple[str, bytes], bool] = {}

    def found(self, content: bytes) -> Iterator[tuple[int, str]]:
        """Where something that looks like a secret stands in a text, and of which kind it is.

        Yields:
            Offset and kind.
        """
        self._boundaries.update(match[1] for match in _BOUNDARY.finditer(content))
        for candidate in self._candidates(content):
            if not self._is_harmless(candidate) and _rest(content, candidate):
                yield candidate.start, candidate.kind

    def _candidates(self, content: bytes) -> Iterator[_Candidate]:
        for rule, pattern in self._patterns:
            for match in pattern.finditer(content):
                group = 1 if match.re.groups and match.start(1) >= 0 else 0
                if rule.check != "luhn" or not _is_fraction(content, match.start(group)):
                    yield _Candidate(match.start(group), match[group], rule.kind, rule.check)
        for start, text, kind in vendor_secrets(content):
            yield _Candidate(start, text, kind)
        for start, text in random_texts(content):
            yield _Candidate(start, text, "random")

    def _is_harmless(self, candidate: _Candidate) -> bool:
        if candidate.text in self._boundaries:
            return True  # between the parts of a message
        mark = (candidate.kind, candidate.text)
        known = self._harmless.get(mark)
        if known is None:
            known = self._judged(candidate)
            if len(self._harmless) < _REMEMBERED:
                self._harmless[mark] = known
        return known

    def _judged(self, candidate: _Candidate) -> bool:
        text = candidate.text.decode("utf-8", "replace")
        return (
            not passes(candidate.check, text)
            or self._pseudonyms.of(candidate.kind, text) == text
            or stands_for_all(text)
            or any(map(_is_made_up, _coded(text)))
            or any(pattern.fullmatch(text) for pattern in self._allowed)
        )


def _is_fraction(content: bytes, start: int) -> bool:
    """Whether digits stand behind a decimal point: one number in ten has a right check digit."""
    return content[start - 1 : start] == b"." and content[start - 2 : start - 1].isdigit()


def _rest(content: bytes, candidate: _Candidate) -> bool:
    """Whether anything is left of a finding without the pseudonyms that it is in or has in it."""
    touched = False
    end = candidate.start + len(candidate.text)
    wide = max(0, candidate.start - _AROUND_LONG)
    size = _AROUND_LONG if _LONG.search(content, wide, end + _AROUND_LONG) else _AROUND
    start = max(0, candidate.start - size)
    around = content[start : end + size].decode("latin-1")
    left = list(around[candidate.start - start : end - start])
    at = 0
    for pseudonym in pseudonyms_in(around):
        at = around.index(pseudonym, at)
        first = max(0, at - (candidate.start - start))
        last = max(0, min(len(left), at + len(pseudonym) - (candidate.start - start)))
        touched = touched or first < last
        left[first:last] = " " * (last - first)
        at += len(pseudonym)
    if not touched:
        return True
    rest = "".join(left)
    if candidate.kind == "email" and not rest.partition("@")[0].strip():
        return False  # the password of a URL, and the host behind it
    if candidate.kind == "random":
        return any(len(word) >= _RANDOM_SIZE for word in _WORTH.findall(rest))
    return any(word.lower() not in _SCHEMES for word in _WORTH.findall(rest))


def _coded(text: str) -> Iterator[str]:
    """What a text is where it is coded as a part of a URL, or as Basic credentials.

    Yields:
        Each reading.
    """
    if "%" in text:
        yield unquote(text)
    with contextlib.suppress(ValueError):
        yield b64decode(text.removeprefix("Basic "), validate=True).decode()


def _is_made_up(text: str) -> bool:
    """Whether a text is pseudonyms and nothing else."""
    rest = text
    for pseudonym in pseudonyms_in(text):
        rest = rest.replace(pseudonym, " ", 1)
    return rest != text and not _WORTH.search(rest)
