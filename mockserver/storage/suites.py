"""A suite folder: its base layers, its override folders, the ids of its cases."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.errors import FormatError, SessionError
from mockserver.model import Json, JsonObject, did_you_mean, shortened
from mockserver.storage.layers import Layer
from mockserver.storage.untrusted_json import DEEPEST, kind_of, read_json, read_object

if TYPE_CHECKING:
    import yaml

_LISTS = ("cases", "evals")
_SUFFIXES = (".yaml", ".yml")
_KEPT = 20_000
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
_NOT_CASES = frozenset({"apis", "base", "cases", "cassettes", "fixtures"})


def registry_case_ids(folder: Path) -> Iterator[str]:
    """The ids in `registry.json`: a list of entries, or an object with `cases` or `evals`.

    Yields:
        Each id, in order.

    Raises:
        FormatError: The registry cannot be read.
    """
    path = folder / "registry.json"
    if not path.is_file():
        return
    registry = read_json(path)
    if isinstance(registry, dict):
        registry = next((registry[name] for name in _LISTS if name in registry), [])
    for entry in registry if isinstance(registry, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            yield entry["id"]


def yaml_case_ids(folder: Path) -> Iterator[str]:
    """The ids in YAML files beside the fixtures or below `cases/`.

    Yields:
        Each id, file by file.

    Raises:
        FormatError: A file is not YAML.
    """
    for path in case_files(folder):
        yield from _file_case_ids(path, path.stat().st_mtime_ns)


def case_files(folder: Path) -> Iterator[Path]:
    """The YAML files of a suite, sorted.

    Yields:
        Each path.
    """
    for path in sorted((*folder.glob("*"), *(folder / "cases").rglob("*"))):
        if path.suffix in _SUFFIXES and path.is_file():
            yield path


@lru_cache(_KEPT)
def _file_case_ids(path: Path, _changed: int) -> tuple[str, ...]:
    import yaml

    try:
        with path.open("rb") as file:
            # events alone: nothing is built, so aliases can do no harm
            return tuple(_case_ids(yaml.parse(file, yaml.CSafeLoader), path))
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise FormatError(place, f"not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FormatError(str(path), f"not YAML: {str(error).splitlines()[0]}") from error


@dataclass(slots=True)
class _OpenNode:
    """A mapping or a list that is being read."""

    keyed: bool
    key: str | None = None


def _case_ids(events: "Iterator[yaml.Event]", path: Path) -> Iterator[str]:
    import yaml

    above: list[_OpenNode] = []
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            above.append(_OpenNode(isinstance(event, yaml.MappingStartEvent)))
            if len(above) > DEEPEST:  # the library's time grows with the square of it
                raise FormatError(str(path), f"nested more than {DEEPEST} deep")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            above.pop()
        elif not isinstance(event, yaml.NodeEvent):
            continue
        elif above and above[-1].keyed and above[-1].key is None:
            above[-1].key = getattr(event, "value", "")
            continue
        elif isinstance(event, yaml.ScalarEvent) and _names_a_case(above):
            yield event.value
        if above:
            above[-1].key = None


def _names_a_case(above: list[_OpenNode]) -> bool:
    """Whether the value being read is the `id` of a file's case, or of one in its `cases`."""
    keys = [each.key for each in above]
    return keys in (["id"], ["cases", None, "id"])


APIS = "apis"
"""Where a suite declares APIs."""

MODELS = "models"
"""Where a suite scripts models."""

_ENDINGS = frozenset({".json", ".yaml", ".yml"})


def suite_files(suite: Path, name: str) -> tuple[Path, ...]:
    """The JSON and YAML files in a folder of a suite, or of its `fixtures/`, by name."""
    folders = (suite / name, suite / "fixtures" / name)
    folder = next((each for each in folders if each.is_dir()), None)
    if folder is None:
        return ()
    return tuple(sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS))


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
            or any((self.folder / name).is_dir() for name in (APIS, MODELS))
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
            return (self._override_file(name),)
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

    def _override_file(self, name: str) -> Path:
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
        return tuple(
            sorted(
                {*self.overrides(), *registry_case_ids(self.folder), *yaml_case_ids(self.folder)}
            )
        )

    def knows(self, case: str) -> bool:
        """Whether a session may be opened on this id."""
        return self.has_override(case) or case in self.cases()

    def layer(self, path: Path) -> Layer:
        """Read one layer; its name is the file's path relative to the suite.

        Raises:
            FormatError: The file cannot be read as a layer.
            SessionError: The file is a link that leaves the suite.
        """
        name = self.name_of(path)
        if path.name.endswith(".patch.json"):
            return Layer(name, _operations(read_json(path), path))
        return Layer(name, read_object(path))

    def name_of(self, path: Path) -> str:
        """The path of a file relative to the suite.

        Raises:
            FormatError: A circle of links.
            SessionError: The file is a link that leaves the suite.
        """
        try:
            inside = path.resolve()
        except (OSError, RuntimeError) as error:
            raise FormatError(str(path), "cannot be read: a circle of links") from error
        if not inside.is_relative_to(self.folder.resolve()):
            raise SessionError(f"{path} is a link that leaves the suite's folder")
        return inside.relative_to(self.folder.resolve()).as_posix()


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
