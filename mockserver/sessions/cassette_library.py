"""The cassettes that a server knows: read when a session first asks for one, shared by all."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.errors import MockServerError, SessionError
from mockserver.googleapi import Api
from mockserver.model import SessionSpec, did_you_mean, shortened
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.cassettes.replay import IndexedCassette
    from mockserver.redaction import Redactor, RuleSet
    from mockserver.sessions.recordings import Replay


_log = logging.getLogger(__name__)

FOLDER = "cassettes"
"""Where a suite has its cassettes."""

NOWHERE = "https://recorded.invalid"
"""The upstream of recordings that name only paths; `http://server/path` leads there."""

_SUFFIXES = frozenset({".yaml", ".yml", ".json", ".har", ".zip"})
_Stamp = tuple[int, int]

_WITHOUT_KEY = b"no key of a capture is at hand"
"""Pseudonyms made with it are like no capture's: recordings are then found by their kinds."""


def load_rules(file: Path | None, suite: Path | None, apis: Sequence[Api]) -> "RuleSet":
    """The rules of captures and replays alike: the user's own, those of the APIs, the common ones.

    Args:
        file: The user's own; where none is named, those of the current folder and of the suite.
        suite: The folder of a suite, or None.
        apis: The emulated APIs; they know secrets of their own.

    Raises:
        FormatError: The user's rules cannot be read.
    """
    from mockserver.storage.redaction_settings import redaction_rules

    rules = redaction_rules(file, suite)
    named = {rule.name for rule in rules.rules}
    own = [rule for api in apis for rule in api.redaction() if rule.name not in named]
    return rules.with_rules_before(own)


def make_redactor(settings: Settings, apis: Sequence[Api]) -> "Redactor":
    """A redactor with the key of this machine's captures, where there is one; never makes one.

    Args:
        settings: Names the user's own rules.
        apis: The emulated APIs.

    Raises:
        MockServerError: The rules or the key cannot be read.
    """
    from mockserver.redaction import Redactor
    from mockserver.storage.redaction_settings import redaction_key

    rules = load_rules(settings.redaction, settings.fixtures, apis)
    return Redactor(rules, redaction_key(create=False) or _WITHOUT_KEY)


class CassetteLibrary:
    """The cassettes of a suite, and those that the server was started with.

    A file that changes is read again by the next session. Servers without cassettes load nothing
    of what reads and plays them.

    Args:
        settings: What the server is started with; a cassette that is given by it comes before one
            of the suite.
        apis: The emulated APIs; they know secrets of their own.

    Attributes:
        hosts: The hosts of all that was read so far, without ports.

    Raises:
        MockServerError: A file is not there, or two have the same name.
    """

    def __init__(self, settings: Settings, apis: Sequence[Api]) -> None:
        self._settings = settings
        self._apis = apis
        suite = settings.fixtures
        self._folder = None if suite is None else suite / FOLDER
        self._given = _files_by_name(settings.cassettes)
        self._tapes: dict[str, tuple[_Stamp, IndexedCassette]] = {}
        self.hosts: set[str] = set()

    @cached_property
    def redactor(self) -> "Redactor":
        """What takes the secrets out of requests, as the captures did.

        Raises:
            MockServerError: The user's rules cannot be read.
        """
        return make_redactor(self._settings, self._apis)

    def names(self) -> tuple[str, ...]:
        """The names of all cassettes, sorted."""
        return tuple(sorted(self._files()))

    def is_recorded(self, host: str) -> bool:
        """Whether a cassette that was read so far has recordings of a host."""
        hosts = (known for _, tape in self._tapes.values() for known in tape.hosts)
        return any(_name_of(known) == host for known in hosts)

    def read_given(self) -> None:
        """Read the cassettes that the server was started with.

        Raises:
            FormatError: One of them cannot be read.
        """
        for name, path in self._given.items():
            self._tape(name, path)

    def replay(self, spec: SessionSpec) -> "Replay | None":
        """The recordings of a session, or None for one without cassettes.

        Raises:
            SessionError: An unknown cassette, or sources that do not go with what is named.
            FormatError: A cassette cannot be read.
        """
        if not spec.cassettes and "cassette" not in spec.sources:
            return None
        if not spec.cassettes:
            raise SessionError(
                "`cassette` is among the sources and no cassette is named",
                hint=f"name some in `cassettes`: {', '.join(self.names()) or 'there are none'}",
            )
        if "cassette" not in spec.sources:
            raise SessionError(
                "cassettes are named and `cassette` is not among the sources",
                hint="leave `sources` out, or add it",
            )
        from mockserver.sessions.recordings import Replay

        files = self._files()
        named = {name: _find_file(name, files) for name in spec.cassettes}
        tapes = {path: self._tape(name, path) for name, path in named.items()}
        return Replay(tapes, spec, self.redactor)

    def _files(self) -> Mapping[str, Path]:
        return {**dict(self._of_suite()), **self._given}

    def _of_suite(self) -> Iterator[tuple[str, Path]]:
        if self._folder is None or not self._folder.is_dir():
            return
        inside = self._folder.resolve()
        for path in sorted(self._folder.iterdir()):
            is_ours = path.suffix in _SUFFIXES and path.resolve().is_relative_to(inside)
            if is_ours and not path.stem.endswith(".recording"):
                yield path.stem, path

    def _tape(self, name: str, path: Path) -> "IndexedCassette":
        from mockserver.cassettes.foreign import read_foreign
        from mockserver.cassettes.replay import IndexedCassette

        stat = path.stat()
        stamp = stat.st_mtime_ns, stat.st_size
        known = self._tapes.get(name)
        if known is None or known[0] != stamp:
            cassette, imported = read_foreign(path, upstream=NOWHERE)
            for note in imported.notes:
                _log.warning("%s: %s", path, note)
            tape = IndexedCassette.of(cassette, redactor=self.redactor)
            known = self._tapes[name] = (stamp, tape)
            self.hosts.update(map(_name_of, tape.hosts))
        return known[1]


def _name_of(host: str) -> str:
    """A host without its port.

    >>> _name_of("api.example.com:8443"), _name_of("[::1]:80"), _name_of("[::1]")
    ('api.example.com', '::1', '::1')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).strip("[]")


def _files_by_name(files: Sequence[Path]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for path in files:
        if path.stem in named:
            raise MockServerError(
                f"{named[path.stem]} and {path} have the same name", hint="rename one of them"
            )
        if not path.exists():
            raise MockServerError(f"{path}: no such cassette")
        named[path.stem] = path
    return named


def _find_file(name: str, files: Mapping[str, Path]) -> Path:
    path = files.get(name)
    if path is None:
        raise SessionError(
            f"no cassette {shortened(name)!r}", status=404, hint=did_you_mean(name, files)
        )
    return path
