"""The ids of the cases that a suite's registry and YAML files hold; the rest is not looked at."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.errors import FormatError
from mockserver.storage.reading import read_json

if TYPE_CHECKING:
    import yaml

_LISTS = ("cases", "evals")
_SUFFIXES = (".yaml", ".yml")
_KEPT = 20_000


def registered(folder: Path) -> Iterator[str]:
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


def written(folder: Path) -> Iterator[str]:
    """The ids in YAML files beside the fixtures or below `cases/`.

    Yields:
        Each id, file by file.

    Raises:
        FormatError: A file is not YAML.
    """
    for path in case_files(folder):
        yield from _ids_in(path, path.stat().st_mtime_ns)


def case_files(folder: Path) -> Iterator[Path]:
    """The YAML files of a suite, sorted.

    Yields:
        Each path.
    """
    for path in sorted((*folder.glob("*"), *(folder / "cases").rglob("*"))):
        if path.suffix in _SUFFIXES and path.is_file():
            yield path


@lru_cache(_KEPT)
def _ids_in(path: Path, _changed: int) -> tuple[str, ...]:
    import yaml

    try:
        with path.open("rb") as file:
            # events alone: nothing is built, so neither depth nor aliases can do harm
            return tuple(_ids(yaml.parse(file, yaml.CSafeLoader)))
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise FormatError(place, f"not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FormatError(str(path), f"not YAML: {str(error).splitlines()[0]}") from error


@dataclass(slots=True)
class _Open:
    """A mapping or a list that is being read."""

    keyed: bool
    key: str | None = None


def _ids(events: "Iterator[yaml.Event]") -> Iterator[str]:
    import yaml

    above: list[_Open] = []
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            above.append(_Open(isinstance(event, yaml.MappingStartEvent)))
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


def _names_a_case(above: list[_Open]) -> bool:
    """Whether the value being read is the `id` of a file's case, or of one in its `cases`."""
    keys = [each.key for each in above]
    return keys in (["id"], ["cases", None, "id"])
