"""A suite folder: its base layers, its override folders, its cases."""

import re
from pathlib import Path

from mockserver.errors import FormatError, SessionError
from mockserver.model import Json, JsonObject, did_you_mean, shortened
from mockserver.storage.caseids import case_files, registered, written
from mockserver.storage.layers import Layer
from mockserver.storage.reading import kind_of, read_json, read_object

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
_NOT_CASES = frozenset({"base", "cases", "cassettes", "fixtures"})


class Suite:
    """One suite on disk; files are read when asked for, never written.

    Attributes:
        folder: The suite's folder.
        fixtures: Where `base/` and the override folders are: the folder itself, or its `fixtures/`.

    Raises:
        FormatError: No folder of that name, or one without any fixture.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        nested = folder / "fixtures"
        self.fixtures = nested if (nested / "base").is_dir() else folder
        if not folder.is_dir():
            raise FormatError(str(folder), "no such folder", hint="name a suite's folder")
        if not self._holds_anything():
            raise FormatError(
                str(folder),
                "is no suite: it has neither base/ nor an override, a registry, a case file or"
                " cassettes/",
                hint=_suites_in(folder),
            )

    def _holds_anything(self) -> bool:
        return bool(
            self.base_files()
            or self.overrides()
            or (self.folder / "registry.json").is_file()
            or any(case_files(self.folder))
            or any(self.folder.glob("*.json"))  # cases of formats in JSON
            or any((self.folder / "cases").glob("*.json"))
            or (self.folder / "cassettes").is_dir()
        )

    def base_files(self) -> tuple[Path, ...]:
        """The files of the base snapshot, in merge order."""
        return tuple(sorted((self.fixtures / "base").glob("*.json")))

    def override_files(self, name: str) -> tuple[Path, ...]:
        """The files of one override, in merge order: `overrides.json`, then `*.patch.json` by name.

        Raises:
            SessionError: The name is no override of this suite, or leaves its folder.
        """
        if name.endswith(".json"):
            return (self._inside(name),)
        if not _NAME.fullmatch(name):
            raise SessionError(f"{shortened(name)!r} cannot be the name of an override")
        folder = self.fixtures / name
        first = folder / "overrides.json"
        patches = sorted(folder.glob("*.patch.json"))
        files = (first, *patches) if first.is_file() else tuple(patches)
        if not files:
            hint = did_you_mean(name, self.overrides())
            raise SessionError(f"no override {name!r} in {self.fixtures}", status=404, hint=hint)
        return files

    def override_folder(self, name: str) -> Path:
        """Where the files of an override are, or would be.

        Raises:
            SessionError: The name cannot be that of an override.
        """
        if not _NAME.fullmatch(name) or name in _NOT_CASES:
            raise SessionError(f"{shortened(name)!r} cannot be the name of an override")
        return self.fixtures / name

    def _inside(self, name: str) -> Path:
        try:
            path = (self.fixtures / name).resolve()
            known = path.is_file()
        except (OSError, ValueError) as error:  # too long, a NUL, a circle of links
            raise SessionError(f"{shortened(name)!r} cannot be the name of an override") from error
        if not path.is_relative_to(self.fixtures.resolve()):
            raise SessionError(f"override {name!r} leaves the suite's folder")
        if not known:
            raise SessionError(f"no override file {name!r} in {self.fixtures}", status=404)
        return path

    def overrides(self) -> tuple[str, ...]:
        """The names of the override folders, sorted."""
        names = (
            folder.name
            for folder in self.fixtures.iterdir()
            if folder.is_dir() and folder.name not in _NOT_CASES and _has_layer(folder)
        )
        return tuple(sorted(names))

    def has_override(self, name: str) -> bool:
        """Whether there is an override folder of this name."""
        return bool(_NAME.fullmatch(name)) and _has_layer(self.fixtures / name)

    def cases(self) -> tuple[str, ...]:
        """Every id that a session may be opened on: registered, in a case file, or an override.

        Raises:
            FormatError: The registry or a case file cannot be read.
        """
        return tuple(sorted({*self.overrides(), *registered(self.folder), *written(self.folder)}))

    def knows(self, case: str) -> bool:
        """Whether a session may be opened on this id."""
        return self.has_override(case) or case in self.cases()

    def layer(self, path: Path) -> Layer:
        """Read one layer; its name is the file's path relative to the suite.

        Raises:
            FormatError: The file cannot be read as a layer.
            SessionError: The file is a link that leaves the suite.
        """
        inside = path.resolve()
        if not inside.is_relative_to(self.folder.resolve()):
            raise SessionError(f"{path} is a link that leaves the suite's folder")
        name = inside.relative_to(self.folder.resolve()).as_posix()
        if path.name.endswith(".patch.json"):
            return Layer(name, _operations(read_json(path), path))
        return Layer(name, read_object(path))


def _suites_in(folder: Path) -> str:
    found = sorted(base.parent.name for base in folder.glob("*/base") if base.is_dir())
    return f"name one of the suites in it: {', '.join(found[:8])}" if found else ""


def _has_layer(folder: Path) -> bool:
    return (folder / "overrides.json").is_file() or any(folder.glob("*.patch.json"))


def _operations(value: Json, path: Path) -> tuple[JsonObject, ...]:
    if not isinstance(value, list):
        raise FormatError(str(path), f"expected an RFC 6902 array, found {kind_of(value)}")
    for number, operation in enumerate(value):
        if not isinstance(operation, dict) or not {"op", "path"} <= operation.keys():
            raise FormatError(f"{path}#/{number}", "expected an operation with `op` and `path`")
    return tuple(value)
