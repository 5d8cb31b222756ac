"""Which cases read what has changed: by the journals that a run of the harness has kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import NamedTuple, TypeAlias

import orjson

from mockserver.drift.changes import Change
from mockserver.drift.documents import Documents
from mockserver.drift.shapes import Path, pointer, scalars_of, shape_of
from mockserver.errors import FormatError
from mockserver.model import Json, JsonObject

_Value: TypeAlias = tuple[str, Json]


class _Answer(NamedTuple):
    paths: frozenset[str]
    values: frozenset[_Value]


@dataclass(frozen=True, slots=True)
class CaseRead:
    """What a case has seen of one method.

    Attributes:
        case: The case's id.
        subject: The method id.
        paths: The fields of the answers, `/users/*/name`.
        values: The texts, numbers and flags there, each with its path.
    """

    case: str
    subject: str
    paths: frozenset[str]
    values: frozenset[tuple[str, Json]] = frozenset()


def find_case_reads(run: File) -> tuple[CaseRead, ...]:
    """What the cases of a run have read: the answers below 400 in the journals of its trials.

    Raises:
        FormatError: The folder is no run directory, or a trial cannot be read.
    """
    trials = run / "trials"
    if not trials.is_dir():
        raise FormatError(str(run), "is no run directory", hint="name one below runs/")
    found: dict[tuple[str, str], tuple[set[str], set[_Value]]] = {}
    answers: dict[str, _Answer] = {}
    for path in sorted(trials.glob("*/*.json")):
        if path.stem.isdigit():
            for subject, answer in _trial_reads(path, answers):
                paths, values = found.setdefault((path.parent.name, subject), (set(), set()))
                paths |= answer.paths
                values |= answer.values
    return tuple(
        CaseRead(*key, frozenset(paths), frozenset(values))
        for key, (paths, values) in found.items()
    )


def find_cases(
    changes: Iterable[Change], reads: Sequence[CaseRead], documents: Documents
) -> Mapping[Change, tuple[str, ...]]:
    """The cases that read what each change speaks of, in alphabetical order.

    A change of a collection is read by a case whose answers hold resources of it.
    """
    by_subject: dict[str, list[CaseRead]] = {}
    for reading in reads:
        by_subject.setdefault(reading.subject, []).append(reading)
    return {change: tuple(_cases_of_change(change, by_subject, documents)) for change in changes}


def _cases_of_change(
    change: Change, by_subject: Mapping[str, list[CaseRead]], documents: Documents
) -> list[str]:
    places: Mapping[str, tuple[Path, ...]] = {change.subject: ((),)}
    if change.subject not in by_subject:
        places = documents.answers_with(change.subject)
    cases = {
        reading.case
        for subject, prefixes in places.items()
        for reading in by_subject.get(subject, ())
        for prefix in prefixes
        if not change.path or f"{pointer(prefix)}{change.path}" in reading.paths
    }
    return sorted(cases)


def _trial_reads(path: File, answers: dict[str, _Answer]) -> Iterator[tuple[str, _Answer]]:
    try:
        journal: JsonObject = orjson.loads(path.read_bytes())["journal"]
        bodies: Mapping[str, str] = journal.get("bodies", {})
        for entry in journal.get("entries", ()):
            if entry["method_id"] and entry["status"] < 400:
                ref = entry.get("response_ref", "")
                if ref not in answers:
                    answers[ref] = _read_answer(bodies.get(ref, ""))
                yield entry["method_id"], answers[ref]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(str(path), f"is no record of a trial: {error!r}") from error


def _read_answer(body: str) -> _Answer:
    try:
        value: Json = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _Answer(frozenset(), frozenset())
    return _Answer(
        frozenset(pointer(path) for path in shape_of([value])),
        frozenset((pointer(path), each) for path, each in scalars_of(value)),
    )
