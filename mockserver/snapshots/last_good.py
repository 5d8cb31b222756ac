"""What sessions start from while the files of a suite are being written."""

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from mockserver.errors import FormatError, InvalidFilesError
from mockserver.model import JsonObject, SessionSpec
from mockserver.state import Base

if TYPE_CHECKING:
    from mockserver.snapshots.resolver import SnapshotResolver

_KEPT = 256


class _Good(NamedTuple):
    base: Base
    raw: JsonObject


class LastGoodSnapshots:
    """The snapshots of a suite as they are, or as they were before a file of them was broken.

    Args:
        worlds: What resolves them.
    """

    def __init__(self, worlds: "SnapshotResolver") -> None:
        self._worlds = worlds
        self._good: OrderedDict[str, _Good] = OrderedDict()

    def base(self, spec: SessionSpec) -> Base:
        """What a session starts from.

        Raises:
            SessionError: An unknown case or override.
            MockServerError: The files are broken, and were never seen whole.
        """
        return self._last(spec).base

    def merged_snapshot(self, spec: SessionSpec) -> JsonObject:
        """The resolved snapshot as written; raises like `base`."""
        return self._last(spec).raw

    def cases(self) -> tuple[str, ...]:
        """The cases that a session may be opened on."""
        return self._worlds.cases()

    def is_at_hand(self, spec: SessionSpec) -> bool:
        """Whether a session's snapshot was resolved before."""
        try:
            return self._worlds.is_at_hand(spec)
        except (FormatError, InvalidFilesError, FileNotFoundError):
            return False

    def read(self, spec: SessionSpec) -> Base:
        """What a session would start from as the files are now.

        Raises:
            MockServerError: The files are broken.
        """
        try:
            base = self._worlds.base(spec)
            raw = self._worlds.merged_snapshot(spec)
        except FileNotFoundError as error:
            raise FormatError(str(error.filename), "is not there any more") from None
        self._good[_key(spec)] = _Good(base, raw)
        if len(self._good) > _KEPT:
            self._good.popitem(last=False)
        return base

    def _last(self, spec: SessionSpec) -> _Good:
        key = _key(spec)
        try:
            self.read(spec)
        except (FormatError, InvalidFilesError):
            if key not in self._good:
                raise
        return self._good[key]


def _key(spec: SessionSpec) -> str:
    return spec.model_dump_json(include={"base", "case", "overrides"})
