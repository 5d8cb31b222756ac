"""The fixtures that a case names: override folders and plain-text files, found and guarded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.cases.folder import SuiteFolder
from harness.documents import Findings
from mockserver.model import did_you_mean

_LONGEST_NAME, _LONGEST_PATH = 255, 2048
"""Bytes that file systems allow for a part of a path, and for what a suite may name below it."""
_NOT_FIXTURES = frozenset((".json", ".yaml", ".yml"))
_PREFIXES = ("evals", "fixtures")
"""Folders that a chrome registry writes before a path; they are the suite itself."""


@dataclass(frozen=True)
class Finder:
    """Looks up what one case names; what is not there is noted with the place of its naming.

    Attributes:
        folder: The suite.
        case: The case's id.
        findings: Where problems go.
    """

    folder: SuiteFolder
    case: str
    findings: Findings

    def own_override(self) -> tuple[str, ...]:
        """The case's own override folder, if there is one."""
        return (self.case,) if self.folder.has_override(self.case) else ()

    def overrides(self, written: Sequence[str], where: str) -> tuple[str, ...]:
        """Names of overrides in the order they are written, each once."""
        found = (self._override(name, where) for name in written)
        return tuple(dict.fromkeys(name for name in found if name))

    def files(self, written: Sequence[str], where: str) -> tuple[str, ...]:
        """Plain-text files, relative to the suite, each once."""
        found = (self._file(name, where) for name in written)
        return tuple(dict.fromkeys(name for name in found if name))

    def cassettes(self, written: Sequence[str], where: str) -> tuple[str, ...]:
        """Names of cassettes in the order they are written, each once."""
        known = self.folder.cassettes()
        for name in written:
            if name not in known:
                hint = did_you_mean(name, known) or "they are in the suite's cassettes/"
                self.findings.error(where, f"no cassette {name!r} in this suite", hint)
        return tuple(dict.fromkeys(name for name in written if name in known))

    def _override(self, written: str, where: str) -> str:
        path = plain(written)
        if fault := name_fault(path):
            self.findings.error(where, f"override {written!r} {fault}")
            return ""
        name = path.parent.name if _is_layer(path) else path.as_posix()
        layers = self.folder.layers(name)
        if not layers or not all(layer.is_file() for layer in layers):
            hint = did_you_mean(name, self.folder.overrides())
            self.findings.error(where, f"no override {written!r} in {self.folder.fixtures}", hint)
            return ""
        if not all(self.folder.holds(layer) for layer in layers):
            self.findings.error(where, f"override {written!r} is a link that leaves the suite")
            return ""
        return name

    def _file(self, written: str, where: str) -> str:
        if fault := name_fault(plain(written)):
            self.findings.error(where, f"file {written!r} {fault}")
            return ""
        for path in self._places(written):
            if path.is_file():
                if self.folder.holds(path):
                    return self.folder.relative(path)
                self.findings.error(where, f"file {written!r} is a link that leaves the suite")
                return ""
        hint = did_you_mean(PurePosixPath(written).name, self._neighbours())
        self.findings.error(where, f"no file {written!r} in {self.folder.fixtures}", hint)
        return ""

    def _places(self, written: str) -> Iterator[Path]:
        path = plain(written)
        yield self.folder.fixtures / path
        yield self.folder.fixtures / self.case / path
        yield self.folder.path / path

    def _neighbours(self) -> list[str]:
        own = self.folder.fixtures / self.case
        folders = [folder for folder in (own, self.folder.path) if folder.is_dir()]
        files = [path for folder in folders for path in folder.iterdir() if path.is_file()]
        return [path.name for path in files if path.suffix not in _NOT_FIXTURES]


def plain(written: str) -> PurePosixPath:
    """A path as the suite's folders have it, without what a chrome registry writes before it.

    >>> plain("evals/fixtures/EC-001/net.log")
    PurePosixPath('EC-001/net.log')
    """
    path = PurePosixPath(written)
    parts = path.parts
    while len(parts) > 1 and parts[0] in _PREFIXES:
        parts = parts[1:]
    return PurePosixPath(*parts)


def name_fault(path: PurePosixPath) -> str:
    """Why a relative path names no file of its folder, or an empty string.

    >>> name_fault(PurePosixPath("../a")), name_fault(PurePosixPath("a/b.txt"))
    ("leaves the suite's folder", '')
    """
    if path.is_absolute() or ".." in path.parts or "\\" in str(path) or not path.name:
        return "leaves the suite's folder"
    if "\0" in str(path):
        return "holds a NUL, which no name of a file does"
    if len(str(path).encode()) > _LONGEST_PATH or any(
        len(part.encode()) > _LONGEST_NAME for part in path.parts
    ):
        return f"is longer than the {_LONGEST_NAME} bytes that a name of a file may have"
    return ""


def _is_layer(path: PurePosixPath) -> bool:
    named = path.name == "overrides.json" or path.name.endswith(".patch.json")
    return named and len(path.parts) == 2
