"""Why a row is not found, or a change is not taken: facts, which each kind of API words its way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from mockserver.collections.collection import Collection, Reference
from mockserver.model import Json


@dataclass(eq=False)
class RefusedError(Exception):
    """What a collection does not allow.

    Attributes:
        collection: The collection.
    """

    sentence: ClassVar[str] = ""
    collection: Collection

    @override
    def __str__(self) -> str:
        return f"{self.collection.name}: {self.sentence.format_map(vars(self))}"


@dataclass(eq=False)
class MissingRowError(RefusedError):
    """No row has this key.

    Attributes:
        key: The key that was asked for, inside of the rows around it.
        nearest: The most similar that there is, or an empty string.
    """

    sentence = "no row has the key {key!r}"
    key: str
    nearest: str = ""


@dataclass(eq=False)
class MissingKeyError(RefusedError):
    """A new row has no key, and nothing makes one."""

    sentence = "the new row has no key"


@dataclass(eq=False)
class KeysUsedUpError(RefusedError):
    """What makes keys makes only such as rows have."""

    sentence = "no new key is left"


@dataclass(eq=False)
class DuplicateKeyError(RefusedError):
    """A row with this key is there.

    Attributes:
        key: The key as the new row has it.
    """

    sentence = "a row has the key {key!r} already"
    key: Json


@dataclass(eq=False)
class NotUniqueError(RefusedError):
    """Another row has the values of fields that must be unique.

    Attributes:
        fields: The fields.
        holder: The key of the other row.
    """

    sentence = "{holder!r} has the same {fields}"
    fields: tuple[str, ...]
    holder: str


@dataclass(eq=False)
class InvalidFieldsError(RefusedError):
    """A row has not the form that it must have.

    Attributes:
        problems: JSON pointer and sentence of each.
    """

    sentence = "{problems}"
    problems: Sequence[tuple[str, str]]


@dataclass(eq=False)
class BrokenReferenceError(RefusedError):
    """A row names what is not there.

    Attributes:
        broken: The references, each with the value that is in its field.
    """

    sentence = "names what is not there: {broken}"
    broken: Sequence[tuple[Reference, Json]]


class CircularReferenceError(BrokenReferenceError):
    """A row names one that is below it."""

    sentence = "names what is below the row itself: {broken}"


@dataclass(eq=False)
class ImmutableFieldError(RefusedError):
    """A change reaches a field that stays.

    Attributes:
        field: The field.
    """

    sentence = "{field} cannot be changed"
    field: str


@dataclass(eq=False)
class StaleVersionError(RefusedError):
    """A row was changed since the caller read it, or is as the caller says that it is not.

    Attributes:
        condition: What does not hold: the name of a header, or the field of a version.
        version: The version of the row.
    """

    sentence = "{condition} does not hold: the version is {version!r}"
    condition: str
    version: Json


@dataclass(eq=False)
class ReferencedError(RefusedError):
    """A row cannot be deleted because of another one.

    Attributes:
        key: The key of the row.
        by: The collection of the other one.
        holder: The key of that in its table.
        reference: By which field it names the row; None where it is inside of it.
    """

    sentence = "{key!r} is needed by {holder!r}"
    key: str
    by: Collection
    holder: str
    reference: Reference | None = None
