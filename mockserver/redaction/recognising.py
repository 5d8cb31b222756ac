"""Raw values that a recording holds the pseudonym of, known again though no field tells of them.

A capture learns an id from a field of an answer, and finds it in the path of the request that asked
for it. A replay is asked first: it knows the id by making its pseudonym and finding that recorded.
"""

import re

from mockserver.redaction.pseudonyms import Pseudonyms

_RECORDED = re.compile(
    r"redacted-(?:id|secret)-[0-9a-f]{16}|project-[0-9a-f]{8}|Qx(?:[a-z]{2}){5}"
    r"|900[0-9]{4,}|C0z[0-9a-z]{6}"
)
_WORD = re.compile(r"[^\W_](?:[\w.~-]*\w)?")
_SHORTEST = 4
_MOST = 100_000
_KINDS = ("id", "secret", "project", "person_name")


class Recognised:
    """Pseudonyms of recorded requests, and the raw values that turn out to be theirs."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._recorded: set[str] = set()
        self._words: dict[str, str] = {}

    def record(self, text: str) -> None:
        """Take note of the pseudonyms in a redacted text."""
        found = _RECORDED.findall(text)
        if found and not self._recorded.issuperset(found):
            self._recorded.update(found)
            self._words.clear()

    def replaced(self, text: str) -> str:
        """A text with every word replaced whose pseudonym was recorded."""
        if not self._recorded:
            return text
        return _WORD.sub(self._word, text)

    def _word(self, found: "re.Match[str]") -> str:
        word = found[0]
        if len(word) < _SHORTEST:
            return word
        made = self._words.get(word)
        if made is None:
            if len(self._words) >= _MOST:
                self._words.clear()
            candidates = (self._made(kind, word) for kind in _KINDS)
            made = next((one for one in candidates if one in self._recorded), word)
            self._words[word] = made
        return made

    def _made(self, kind: str, word: str) -> str:
        made = self._pseudonyms.of("password" if kind == "secret" else kind, word)
        return made if made != word else ""
