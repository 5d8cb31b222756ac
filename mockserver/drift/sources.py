"""Reads what is to be compared: a cassette, a suite, a folder or file of a snapshot."""

from dataclasses import dataclass
from pathlib import Path

from mockserver.cassettes.files import read_cassette
from mockserver.drift.documents import Documents
from mockserver.drift.surveys import Survey, survey_interactions, survey_snapshot
from mockserver.errors import FormatError
from mockserver.model import Cassette, JsonObject, SessionSpec
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.storage import Layer, merged, read_object

_YAML = {".yaml", ".yml"}


@dataclass(frozen=True, slots=True)
class Source:
    """What was read; one of the two is there.

    Attributes:
        name: The file or folder, as given.
        cassette: The interactions, or None.
        snapshot: The raw snapshot, or None.
    """

    name: str
    cassette: Cassette | None = None
    snapshot: JsonObject | None = None


def read_source(path: Path) -> Source:
    """Read a cassette (YAML, or JSON with `interactions`), or a snapshot: suite, folder or file.

    Raises:
        FormatError: It is none of these, or cannot be read.
    """
    if path.is_dir():
        return Source(str(path), snapshot=_snapshot(path))
    if path.suffix in _YAML:
        return Source(str(path), cassette=read_cassette(path))
    value = read_object(path)
    if isinstance(value.get("interactions"), list | dict):
        return Source(str(path), cassette=read_cassette(path))
    return Source(str(path), snapshot=value)


def survey(source: Source, documents: Documents) -> Survey:
    """What a source holds, in the form that is compared."""
    if source.cassette is not None:
        subjects = survey_interactions(source.cassette.interactions, documents.name)
        return Survey("cassette", source.name, taken_at(source.cassette), subjects)
    raw = source.snapshot or {}
    captured = raw.get("capturedAt")
    when = captured if isinstance(captured, str) else ""
    return Survey("snapshot", source.name, when, survey_snapshot(raw))


def taken_at(cassette: Cassette) -> str:
    """When the oldest of a cassette's interactions was recorded; empty where it does not say.

    A newer one beside it makes a recording no younger.
    """
    times = [each.recorded_at for each in cassette.interactions if each.recorded_at]
    return min(times, default=cassette.info.recorded_at)


def _snapshot(folder: Path) -> JsonObject:
    if (folder / "base").is_dir() or (folder / "fixtures" / "base").is_dir():
        return SnapshotResolver(folder).merged(SessionSpec())
    files = sorted(folder.glob("*.json"))
    if not files:
        raise FormatError(
            str(folder), "holds no snapshot", hint="name a suite, or a folder of JSON files"
        )
    return merged([Layer(path.name, read_object(path)) for path in files])
