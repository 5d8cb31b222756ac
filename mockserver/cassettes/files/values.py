"""Values of untrusted files taken for what they should be; a mistake has its place."""

import re
from urllib.parse import urlsplit

from mockserver.model import Json, JsonObject
from mockserver.storage.untrusted_json import Place, kind_of

_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?:[/?#]|\Z)")


def pointer(place: Place) -> str:
    """The JSON pointer to a place.

    >>> pointer(("a/b", 0))
    '/a~1b/0'
    """
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in place)


class MisplacedError(Exception):
    """Something in a cassette is not what it should be.

    Attributes:
        place: Where it is.
        message: What is wrong there.
        hint: What to do, or an empty string.
    """

    def __init__(self, place: Place, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.place = place
        self.message = message
        self.hint = hint


def text_of(value: Json, place: Place) -> str:
    """A text; bytes are taken as HTTP takes them.

    Raises:
        MisplacedError: It is something else.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    hint = "put it in quotes" if isinstance(value, int | float) else ""
    raise MisplacedError(place, f"expected a text, found {kind_name(value)}", hint=hint)


def mapping_of(value: Json, place: Place) -> JsonObject:
    """A mapping.

    Raises:
        MisplacedError: It is something else.
    """
    if isinstance(value, dict):
        return value
    raise MisplacedError(place, f"expected a mapping, found {kind_name(value)}")


def list_of(value: Json, place: Place) -> list[Json]:
    """A list; nothing is an empty one.

    Raises:
        MisplacedError: It is something else.
    """
    if isinstance(value, list | None):
        return value or []
    raise MisplacedError(place, f"expected a list, found {kind_name(value)}")


def url_of(value: Json, place: Place) -> str:
    """A text that can be taken apart as a URL.

    Raises:
        MisplacedError: It is something else.
    """
    text = text_of(value, place)
    if not _PLAIN_URL.match(text):  # of which nothing needs to be looked at
        try:
            urlsplit(text).port  # noqa: B018  (reading it is the check)
        except ValueError as error:
            raise MisplacedError(place, f"is no URL: {error}") from error
    return text


def member(value: JsonObject, name: str, place: Place) -> Json:
    """A member that must be there.

    Raises:
        MisplacedError: It is not.
    """
    if name not in value:
        raise MisplacedError(place, f"has no `{name}`")
    return value[name]


def status_of(value: Json, place: Place) -> int:
    """An HTTP status.

    Raises:
        MisplacedError: It is none.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1000:
        raise MisplacedError(place, f"{value_text(value)} is no HTTP status")
    return value


def kind_name(value: Json) -> str:
    """What a value is, for messages."""
    return "bytes" if isinstance(value, bytes) else kind_of(value)


def value_text(value: Json) -> str:
    """A value in a message: numbers only, for a text may be anything."""
    return repr(value) if isinstance(value, int | float) else kind_name(value)
