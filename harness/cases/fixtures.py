"""The files of a suite that a case names: overrides, text files, cassettes, its workspace.

Every path stays below the suite's folder.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.documents import Findings
from mockserver.model import did_you_mean

_NOT_OVERRIDES = frozenset({"base", "cases", "fixtures"})
_CASSETTES = frozenset({".yaml", ".yml", ".json"})


@dataclass(frozen=True)
class SuiteFolder:
    """The files of a suite; nothing outside of it is ever named by it.

    Attributes:
        path: The suite's folder.
    """

    path: Path

    @property
    def fixtures(self) -> Path:
        """Where `base/` and the override folders are: the folder itself, or its `fixtures/`."""
        nested = self.path / "fixtures"
        return nested if (nested / "base").is_dir() else self.path

    def holds(self, path: Path) -> bool:
        """Whether a path, links followed, stays inside the suite."""
        return path.resolve().is_relative_to(self.path.resolve())

    def relative(self, path: Path) -> str:
        """A path inside the suite as the cases name it."""
        return path.relative_to(self.path).as_posix()

    def overrides(self) -> tuple[str, ...]:
        """The names of all override folders, sorted."""
        folders = self.fixtures.iterdir() if self.fixtures.is_dir() else ()
        return tuple(
            sorted(
                folder.name
                for folder in folders
                if folder.is_dir() and folder.name not in _NOT_OVERRIDES and _has_layer(folder)
            )
        )

    def has_override(self, name: str) -> bool:
        """Whether there is an override folder of this name."""
        return name not in _NOT_OVERRIDES and _has_layer(self.fixtures / name)

    def cassettes(self) -> tuple[str, ...]:
        """The names of the suite's cassettes, sorted: their files' without what follows the dot."""
        files = (self.path / "cassettes").glob("*")
        return tuple(sorted(path.stem for path in files if path.suffix in _CASSETTES))

    def layers(self, name: str) -> tuple[Path, ...]:
        """The files of one override, or the one file that it names."""
        if name.endswith(".json"):
            return (self.fixtures / name,)
        folder = self.fixtures / name
        return (*folder.glob("overrides.json"), *sorted(folder.glob("*.patch.json")))


def _has_layer(folder: Path) -> bool:
    return (folder / "overrides.json").is_file() or any(folder.glob("*.patch.json"))


MOST_FILES = 200
MOST_BYTES = 1024 * 1024
"""Of all files of one workspace; they are part of the case, and kept with every run of it."""


def read_workspace(
    source: str | Mapping[str, str], folder: SuiteFolder, where: str, findings: Findings
) -> dict[str, str]:
    """The files by their path in the workspace; what cannot be taken is noted.

    Args:
        source: A folder of the suite, or path to text.
        folder: The suite.
        where: The place of it.
        findings: Where problems go.
    """
    files = _of_folder(source, folder, where, findings) if isinstance(source, str) else dict(source)
    for name in files:
        if leaves(name):
            findings.error(where, f"the workspace's file {name!r} leaves the workspace")
        for parent in PurePosixPath(name).parents:
            if str(parent) in files:
                findings.error(where, f"{str(parent)!r} is both a file and a folder")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values())
    if size > MOST_BYTES or len(files) > MOST_FILES:
        findings.error(
            where,
            f"the workspace has {len(files)} files and {size} bytes;"
            f" at most {MOST_FILES} and {MOST_BYTES >> 10} KiB are taken",
        )
        return {}
    return files


def leaves(name: str) -> bool:
    """Whether a path in a workspace could leave it, or is no path of a file.

    >>> leaves("src/a.py"), leaves("../a.py"), leaves("/etc/hosts"), leaves("")
    (False, True, True, True)
    """
    return bool(name_fault(PurePosixPath(name))) or name.endswith("/")


def _of_folder(name: str, folder: SuiteFolder, where: str, findings: Findings) -> dict[str, str]:
    if leaves(name):
        fault = name_fault(PurePosixPath(name)) or "is no name of a folder"
        findings.error(where, f"workspace {name!r} {fault}")
        return {}
    root = folder.path / name
    if not root.is_dir():
        findings.error(where, f"no folder {name!r} in {folder.path}")
        return {}
    files: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not folder.holds(path):
            findings.error(where, f"{folder.relative(path)} is a link; a workspace holds files")
        elif path.is_file() and "__pycache__" not in path.parts:
            _add(files, path, root, (where, findings))
        if len(files) > MOST_FILES:
            break
    if not files and not any(item.where == where for item in findings.problems):
        findings.error(where, f"workspace {name!r} holds no file")
    return files


def _add(files: dict[str, str], path: Path, root: Path, noted: tuple[str, Findings]) -> None:
    where, findings = noted
    name = path.relative_to(root).as_posix()
    try:
        if path.stat().st_size > MOST_BYTES:
            findings.error(where, f"{name!r} is larger than {MOST_BYTES >> 10} KiB")
            return
        files[name] = path.read_bytes().decode()
    except UnicodeDecodeError:
        findings.error(where, f"{name!r} is not UTF-8 text")
    except OSError as error:
        findings.error(where, f"{name!r} cannot be read: {error.strerror}")


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

    def overrides(self, names: Sequence[str], where: str) -> tuple[str, ...]:
        """Names of overrides in the order they are written, each once."""
        found = (self._override(name, where) for name in names)
        return tuple(dict.fromkeys(name for name in found if name))

    def files(self, paths: Sequence[str], where: str) -> tuple[str, ...]:
        """Plain-text files, relative to the suite, each once."""
        found = (self._file(name, where) for name in paths)
        return tuple(dict.fromkeys(name for name in found if name))

    def cassettes(self, names: Sequence[str], where: str) -> tuple[str, ...]:
        """Names of cassettes in the order they are written, each once."""
        known = self.folder.cassettes()
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known) or "they are in the suite's cassettes/"
                self.findings.error(where, f"no cassette {name!r} in this suite", hint)
        return tuple(dict.fromkeys(name for name in names if name in known))

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
