"""What was learned only after an interaction was written is replaced in the recording at once.

An id that no field tells of stands in a path; only a later answer says whose it is. The recording
knows which words stand in it, so that a new secret costs a look at those and nothing else; the file
is written anew only where the secret may be in it, and not more often than its size allows.
"""

import mmap
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress

from mockserver.capture.recordings import RecordingFile
from mockserver.cassettes.files import interaction_block
from mockserver.cassettes.files.reading import cassette_from
from mockserver.errors import CaptureError, MockServerError
from mockserver.redaction import Redactor, Screen, Secret

_WORD = re.compile(rb"\\+(?:u[0-9A-Fa-f]{4}|.)|%[0-9A-Fa-f]{2}|([0-9A-Za-z]{3,})", re.DOTALL)
"""A word, past what codings write before it: `\\n`, `\\u00fc`, `%2F`."""
_BITS = 1 << 25
_FREE = 64 * 1024 * 1024
_AGAIN = 8
"""A recording of some size is written anew that many times, and 64 MiB besides: what is learned
while nothing of that is left waits until the recording has grown."""


class Words:
    """The words of a text of any length, in bounded memory; some that are not there are."""

    def __init__(self) -> None:
        self._bits = bytearray(_BITS // 8)

    def add(self, content: bytes) -> None:
        """Remember every word of a content."""
        bits = self._bits
        for word in words_of(content):
            for place in _places(word):
                bits[place >> 3] |= 1 << (place & 7)

    def may_have(self, words: Iterable[bytes]) -> bool:
        """Whether all words may have been there; never False where they were."""
        bits = self._bits
        return all(bits[at >> 3] >> (at & 7) & 1 for word in words for at in _places(word))


def words_of(content: bytes) -> set[bytes]:
    """The runs of three or more letters and digits in a content.

    >>> sorted(words_of(b"/users/usr_8Ye%2Fab?x"))
    [b'8Ye', b'users', b'usr']
    """
    found = set(_WORD.findall(content))
    found.discard(b"")
    return found


def _places(word: bytes) -> tuple[int, int]:
    number = hash(word)
    return number % _BITS, (number >> 32) % _BITS


class LateSecrets:
    """Replaces in a recording what was learned after it was written.

    Args:
        file: The recording, with its head.
        redactor: Knows what was learned.
        screen: Replaces it in an interaction.
    """

    def __init__(self, file: RecordingFile, redactor: Redactor, screen: Screen) -> None:
        self._file = file
        self._redactor = redactor
        self._screen = screen
        self._words = Words()
        self._starts = [file.size]
        self._known = len(redactor.seen)
        self._waiting: list[bytes] = []
        self._written = 0

    def append(self, block: bytes) -> None:
        """Write an interaction behind the others, once these are without what it taught.

        Raises:
            CaptureError: It could not be written; what was recorded before is there.
        """
        self._replace()
        self._file.append(block)
        self._starts.append(self._file.size)
        self._words.add(block)

    def _replace(self) -> None:
        seen = self._redactor.seen
        if len(seen) > self._known:
            self._waiting += filter(None, map(self._sought, seen.secrets(self._known)))
            self._known = len(seen)
        left = _FREE + _AGAIN * self._file.size - self._written
        if not self._waiting or self._file.size > left:
            return
        sought, self._waiting = self._waiting, []
        made = dict(self._made_anew(self._blocks_with(sought)))
        if made:
            self._write(made)

    def _sought(self, secret: Secret) -> bytes:
        """The longest word of a secret that may stand in the recording; empty where none does."""
        words = words_of(secret.value.encode("utf-8", "surrogateescape"))
        if not words or not self._words.may_have(words):
            return b""
        return max(words, key=lambda word: (len(word), word))

    def _blocks_with(self, words: Iterable[bytes]) -> set[int]:
        """Which interactions have one of these words in them, by number."""
        found: set[int] = set()
        if len(self._starts) == 1:
            return found
        with (
            self._file.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            for word in words:
                at = content.find(word, self._starts[0])
                while at >= 0:
                    number = bisect_right(self._starts, at) - 1
                    found.add(number)
                    at = content.find(word, self._starts[number + 1])
        return found

    def _made_anew(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        path = self._file.path
        with path.open("rb") as file:
            head = file.read(self._starts[0])
            for number in sorted(numbers):
                start, end = self._starts[number : number + 2]
                file.seek(start)
                block = file.read(end - start)
                with suppress(MockServerError):  # the whole file is looked through at the end
                    (interaction,) = cassette_from(head + block, path).interactions
                    again = self._screen.again(interaction)
                    if again != interaction:
                        yield number, interaction_block(again)

    def _write(self, made: dict[int, bytes]) -> None:
        """Write the recording with other blocks in the place of some."""
        starts = [self._starts[0]]
        for number in range(len(self._starts) - 1):
            size = self._starts[number + 1] - self._starts[number]
            starts.append(starts[-1] + len(made.get(number, b"")) if number in made
                          else starts[-1] + size)  # fmt: skip
        try:
            self._file.write_anew(self._pieces(made))
        except OSError as error:
            raise CaptureError(
                f"cannot write {self._file.path}: {error.strerror or error}",
                hint="what was recorded before is there; make room, then"
                " `mockserver capture finish`",
            ) from error
        self._starts = starts
        self._written += self._file.size
        for block in made.values():
            self._words.add(block)

    def _pieces(self, made: dict[int, bytes]) -> Iterator[bytes]:
        with self._file.path.open("rb") as file:
            last = 0
            for number in sorted(made):
                yield from _copied(file.fileno(), last, self._starts[number])
                yield made[number]
                last = self._starts[number + 1]
            yield from _copied(file.fileno(), last, self._starts[-1])


def _copied(descriptor: int, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        piece = os.pread(descriptor, min(end - start, 1 << 20), start)
        if not piece:
            return
        yield piece
        start += len(piece)
