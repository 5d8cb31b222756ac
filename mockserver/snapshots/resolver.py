"""The worlds that sessions start from: a suite's snapshots, resolved once and shared."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import orjson

from mockserver.apis import APIS
from mockserver.declared.catalog import DeclaredApis, declared_apis
from mockserver.errors import (
    FormatError,
    InvalidFilesError,
    MockServerError,
    Problem,
    SessionError,
)
from mockserver.googleapi import Api, SnapshotImport
from mockserver.model import FEW, Json, JsonObject, SessionSpec, did_you_mean, shortened
from mockserver.models.catalog import Models, suite_models
from mockserver.snapshots.base_cache import base_name, keep_base, kept_base
from mockserver.snapshots.importer import SERVER_KEYS, Importer
from mockserver.state import Base
from mockserver.storage import Layer, Provenance, Suite, apply_layer, merge_layers
from mockserver.storage.untrusted_json import LARGEST_FILE

Stamps = tuple[tuple[Path, tuple[int, int]], ...]
"""Files with their time of change and size."""

_LARGE = 256 * 1024
_KEPT_LARGE = 8
"""Of those with inline layers of so many bytes only a few are kept."""

_NO_ESCAPE = re.compile("~(?![01])")
_INDEX = re.compile("0|[1-9][0-9]{0,8}")
_WORTH_KEEPING = 1024 * 1024
"""Bytes of a base that takes long enough to import."""
_KEPT = 256
"""Resolved snapshots that are kept; sessions hold on to their own."""


class WrittenSnapshot(NamedTuple):
    """What a snapshot was made of.

    Attributes:
        layers: Its layers, in merge order.
        raw: The layers merged, as written.
    """

    layers: Sequence[Layer]
    raw: JsonObject


class ResolvedSnapshot:
    """A snapshot with what it was made of.

    Attributes:
        base: What sessions start from.
        errors: Why it cannot be served; they point into `raw`.

    Args:
        base: What sessions start from.
        written: Reads what it was made of, where that was not needed for the base.
        notes: Tells what the imports made of `raw`.
        errors: Why it cannot be served.
    """

    def __init__(
        self,
        base: Base,
        written: Callable[[], WrittenSnapshot],
        notes: Callable[[], SnapshotImport],
        errors: Sequence[Problem] = (),
    ) -> None:
        self.base = base
        self.errors = errors
        self._written = written
        self._notes = notes

    @property
    def layers(self) -> Sequence[Layer]:
        """Its layers, in merge order."""
        return self._written().layers

    @property
    def raw(self) -> JsonObject:
        """The layers merged, as written."""
        return self._written().raw

    @cached_property
    def notes(self) -> SnapshotImport:
        """What the imports changed and found wrong; `problems` point into `raw`."""
        return self._notes()

    def problems(self) -> tuple[Problem, ...]:
        """What cannot be served, each with the file and pointer where it was written."""
        checked = chain.from_iterable(check() for check in self.notes.checks)
        return tuple(self.with_place(item) for item in (*self.notes.problems, *checked))

    def with_place(self, item: Problem) -> Problem:
        """A problem of `raw` at the file and pointer where it was written."""
        return Problem(self.where(item.where), item.message, item.hint, item.level)

    @cached_property
    def _provenance(self) -> Provenance:
        return Provenance(self.layers)

    def where(self, pointer: str) -> str:
        """The file and pointer of a value, or of the nearest thing around it that was written."""
        written = pointer[: self._known_length(pointer)]
        missing = pointer[len(written) :]
        while written:
            found = self._provenance.origins(written)
            if found:
                return f"{found[0]}{missing}"
            written, _, name = written.rpartition("/")
            missing = f"/{name}{missing}"
        return pointer

    def _known_length(self, pointer: str) -> int:
        """How much of a pointer leads to something in the snapshot."""
        value: Json = self.raw
        length = 0
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if _NO_ESCAPE.search(token):
                break
            if isinstance(value, dict) and key in value:
                value = value[key]
            elif isinstance(value, list) and _INDEX.fullmatch(key) and int(key) < len(value):
                value = value[int(key)]
            else:
                break
            length += 1 + len(token)
        return length


def suite_apis(
    folder: Path | None, apis: Sequence[Api] = APIS, *, trusted: bool | None = None
) -> DeclaredApis:
    """The APIs that a suite declares beside those of this server.

    Args:
        folder: The suite's folder; None declares none.
        apis: The emulated APIs, whose names and keys are taken.
        trusted: Whether the suite's Python functions are run; None allows to name them and runs
            none, as for what only reads snapshots.

    Raises:
        InvalidFilesError: A declaration cannot be served.
    """
    taken = {*SERVER_KEYS, *(each.name for each in apis)}
    taken.update(item.name for each in apis for item in each.collections)
    return declared_apis(folder, taken=frozenset(taken), trusted=trusted)


class SnapshotResolver:
    """Resolves the snapshots of one suite; a file that changes is read again by the next session.

    Args:
        folder: The suite's folder; None serves empty worlds and inline overrides.
        apis: The emulated APIs.
        declared: The APIs that the suite declares; they are read from it when None.
        cache: The folder of large bases that were imported before; None for none.

    Attributes:
        models: The models that the suite scripts.
    """

    def __init__(
        self,
        folder: Path | None,
        apis: Sequence[Api] = APIS,
        declared: DeclaredApis | None = None,
        *,
        cache: Path | None = None,
    ) -> None:
        self.suite = None if folder is None else Suite(folder)
        self._apis = apis
        self._cache = cache
        self.declared = suite_apis(folder, apis) if declared is None else declared
        self.models = suite_models(folder)
        self.importer = Importer((*apis, *(each.as_api for each in self.declared.apis)))
        self._kept: OrderedDict[object, ResolvedSnapshot] = OrderedDict()
        self._large: list[object] = []
        self._base: tuple[object, WrittenSnapshot] = (None, WrittenSnapshot([], {}))

    def declare(self, declared: DeclaredApis, models: Models) -> None:
        """Import rows of these declared APIs, and serve these models, in place of those before."""
        self.declared, self.models = declared, models
        self.importer = Importer((*self._apis, *(each.as_api for each in declared.apis)))
        self._kept.clear()
        self._large.clear()

    def base(self, spec: SessionSpec) -> Base:
        """What a session starts from.

        Raises:
            SessionError: An unknown case or override.
            InvalidFilesError: The snapshot holds what cannot be served; every place at once.
        """
        resolved = self.resolve(spec)
        if resolved.errors:
            few = [resolved.with_place(item) for item in resolved.errors[:FEW]]
            more = len(resolved.errors) - FEW
            raise InvalidFilesError([*few, Problem("...", f"and {more} more")] if more > 0 else few)
        return resolved.base

    def merged_snapshot(self, spec: SessionSpec) -> JsonObject:
        """The resolved snapshot as written, before any API reads it.

        Raises:
            SessionError: An unknown case or override.
        """
        return self.resolve(spec).raw

    def cases(self) -> tuple[str, ...]:
        """The cases that a session may be opened on."""
        return () if self.suite is None else self.suite.cases()

    def resolve(self, spec: SessionSpec) -> ResolvedSnapshot:
        """The snapshot of a session, with its layers and notes.

        Raises:
            FormatError: A file cannot be read.
            SessionError: An unknown case or override.
        """
        inline = [item for item in self.overrides(spec) if not isinstance(item, str)]
        written = orjson.dumps(inline)
        stamps = self._stamps(spec)
        key = (stamps, blake2b(written).digest() if len(written) > _LARGE else written)
        resolved = self._kept.get(key)
        if resolved is None:
            layers = [Layer(f"inline[{number}]", layer) for number, layer in enumerate(inline)]
            resolved = self._kept[key] = self._resolve(stamps, layers, base=spec.base)
            self._large += [key] * (len(written) > _LARGE)
            if len(self._large) > _KEPT_LARGE:
                self._kept.pop(self._large.pop(0), None)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return resolved

    def is_at_hand(self, spec: SessionSpec) -> bool:
        """Whether a session's snapshot was resolved before; False where it takes long to tell.

        Raises:
            SessionError: An unknown case or override.
        """
        if any(not isinstance(item, str) for item in self.overrides(spec)):
            return False
        return (self._stamps(spec), b"[]") in self._kept

    def _stamps(self, spec: SessionSpec) -> Stamps:
        files = self._files(self.overrides(spec), base=spec.base)
        return tuple((path, _stamp(path)) for path in files)

    def overrides(self, spec: SessionSpec) -> tuple[str | JsonObject, ...]:
        """The overrides of a session: those it names, or the one of its case.

        Raises:
            SessionError: A case that the suite does not have.
        """
        if spec.case is not None and self.suite is None:
            raise SessionError(
                f"no case {shortened(spec.case)!r}: the server was started without fixtures",
                status=404,
                hint="start it with --fixtures DIR",
            )
        if spec.case is not None and self.suite is not None and not self.suite.knows(spec.case):
            hint = did_you_mean(spec.case, self.suite.cases())
            raise SessionError(f"unknown case {shortened(spec.case)!r}", status=404, hint=hint)
        if spec.overrides is not None:
            return spec.overrides
        if spec.case is None or self.suite is None or not self.suite.has_override(spec.case):
            return ()
        return (spec.case,)

    def _files(self, overrides: Iterable[str | JsonObject], *, base: bool) -> list[Path]:
        named = [item for item in overrides if isinstance(item, str)]
        if self.suite is None:
            if named:
                raise SessionError(
                    f"no override {shortened(named[0])!r}: the server was started without fixtures",
                    status=404,
                    hint="start it with --fixtures DIR, or give the layer inline",
                )
            return []
        files = list(self.suite.base_files()) if base else []
        for name in named:
            files += self.suite.override_files(name)
        return files

    def _resolve(self, stamps: Stamps, inline: list[Layer], *, base: bool) -> ResolvedSnapshot:
        of_base = len(self.suite.base_files()) if self.suite and base else 0
        if of_base and not stamps[of_base:] and not inline:
            return self._kept_base(stamps)
        written = self._base_of(stamps[:of_base])
        above = [*self._read(stamps[of_base:]), *inline]
        raw = written.raw
        for layer in above:
            raw = apply_layer(raw, layer)
        return self._imported(WrittenSnapshot((*written.layers, *above), raw))

    def _imported(self, written: WrittenSnapshot) -> ResolvedSnapshot:
        made, notes = self.importer.import_snapshot(written.raw)
        errors = [item for item in notes.problems if item.level == "error"]
        return ResolvedSnapshot(made, lambda: written, lambda: notes, errors)

    def _kept_base(self, stamps: Stamps) -> ResolvedSnapshot:
        """The base alone, of the cache where it is there; put into it where it is large."""
        path = self._place_in_cache(stamps)
        kept = None if path is None else kept_base(path, self.importer)
        if kept is not None:
            written = partial(self._base_of, stamps)
            notes = lambda: self.importer.import_snapshot(written().raw)[1]  # noqa: E731
            return ResolvedSnapshot(kept, written, notes)
        resolved = self._imported(self._base_of(stamps))
        # the files are the ones whose contents name it only if nobody wrote to them meanwhile
        if path is not None and not resolved.errors and stamps == _stamps_of(stamps):
            keep_base(path, resolved.base, resolved.notes.customer)
        return resolved

    def _place_in_cache(self, stamps: Stamps) -> Path | None:
        """Where a base is kept; None for one that is small, or that cannot be read."""
        sizes = [size for _, (_, size) in stamps]
        if self._cache is None or self.suite is None or sum(sizes) < _WORTH_KEEPING:
            return None
        if max(sizes) > LARGEST_FILE:
            return None
        try:
            contents = {self.suite.name_of(path): path.read_bytes() for path, _ in stamps}
        except (OSError, MockServerError):  # it is told where it is read
            return None
        name = base_name(contents, self._apis, self.declared)
        return None if name is None else self._cache / name

    def _base_of(self, stamps: Stamps) -> WrittenSnapshot:
        """The base's layers and what they merge to, kept so that all cases share its values."""
        if self._base[0] != stamps:
            layers = self._read(stamps)
            self._base = (stamps, WrittenSnapshot(layers, merge_layers(layers)))
        return self._base[1]

    def _read(self, stamps: Stamps) -> list[Layer]:
        """The layers of some files; of files that cannot be read, all are told at once."""
        layers: list[Layer] = []
        problems: list[FormatError] = []
        for path, _ in stamps:
            if self.suite is None:
                break
            try:
                layers.append(self.suite.layer(path))
            except FormatError as error:
                problems.append(error)
        if len(problems) == 1:
            raise problems[0]
        if problems:
            raise InvalidFilesError([error.problem for error in problems])
        return layers


def _stamps_of(stamps: Stamps) -> Stamps:
    """The stamps of the same files now."""
    return tuple((path, _stamp(path)) for path, _ in stamps)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    return stat.st_mtime_ns, stat.st_size
