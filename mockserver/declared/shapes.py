"""How rows look in answers: what is hidden and what is added, how times are written, addresses."""

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote

from mockserver.collections import collection as engine
from mockserver.collections.places import place_of, put_in, value_at, with_value, without_field
from mockserver.declared.calls import DeclaredCall
from mockserver.declared.declaration import PLACEHOLDER, Collection, TimeFormat
from mockserver.declared.templates import render, row_values
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339, rfc3339
from mockserver.templates import has_templates

_LARGEST_SECONDS = 253402300799
_MILLISECONDS = 1000


class RowShape:
    """How the rows of one collection look in answers.

    Args:
        declared: What its author says.
        collection: What its rows are like.
        path: The path of one row below the base path, `/bookings/{id}`.
    """

    def __init__(self, declared: Collection, collection: engine.Collection, path: str) -> None:
        self._collection = collection
        self._envelope = declared.item_in
        self._time_format = declared.time_format
        self._around = PLACEHOLDER.split(path)[::2]
        self._hidden = [place_of(each) for each in declared.hidden_fields]
        added = declared.answer_fields
        self._constant = {name: each for name, each in added.items() if not has_templates(each)}
        self._made = {name: each for name, each in added.items() if has_templates(each)}
        self._times = [place_of(name) for name in declared.timed]

    def path(self, row: JsonObject) -> str:
        """The path of a row below the base path."""
        if not self._collection.parents:
            before, after = self._around
            return f"{before}{_quoted(self._collection.key_of(row))}{after}"
        pieces = [self._around[0]]
        for key, literal in zip(self._collection.keys_of(row), self._around[1:], strict=True):
            pieces += (_quoted(key), literal)
        return "".join(pieces)

    def show(self, row: JsonObject, call: DeclaredCall) -> JsonObject:
        """A row as answers show it."""
        whole = row
        for place in self._hidden:
            row = without_field(row, place)
        if self._time_format != "rfc3339":
            for place in self._times:
                moment = value_at(row, place)
                if isinstance(moment, str):
                    row = with_value(row, place, written_time(moment, self._time_format))
        if self._constant:
            row = {**self._constant, **row}
        made = self._made
        missing = {name: each for name, each in made.items() if name not in row} if made else None
        if missing:
            values: dict[str, Any] = {"row": row, "url": f"{call.url}{self.path(whole)}"}
            if any(each != "{{ url }}" for each in missing.values()):
                table = self._collection.table
                values = {**row_values(call.world, table, params=call.params), **values}
            row = {**row, **render(missing, values)}
        return row

    def wrap(self, shown: JsonObject) -> JsonObject:
        """A row that is shown, in its envelope."""
        return put_in(self._envelope, shown) if self._envelope else shown

    def unwrap(self, body: Json) -> Json:
        """A body without its envelope; bare bodies are taken as well."""
        place = self._envelope
        if place and isinstance(body, dict):
            found = value_at(body, place_of(place))
            return body if found is None else found
        return body


def _quoted(key: str) -> str:
    return key if key.isascii() and key.isalnum() else quote(key, safe="")


def written_time(moment: str, form: TimeFormat) -> Json:
    """A timestamp as an API writes it; what is none stays.

    >>> written_time("2026-01-01T00:00:00Z", "unix")
    1767225600
    """
    try:
        found = parse_rfc3339(moment)
    except ValueError:
        return moment
    if form == "unix":
        return int(found.timestamp())
    if form == "unix_ms":
        return int(found.timestamp() * _MILLISECONDS)
    if form == "rfc2822":
        return format_datetime(found.replace(microsecond=0))
    return moment


def stored_time(text: str, form: TimeFormat) -> str:
    """A time of a query as rows hold it: seconds since 1970 as a timestamp; other text stays.

    >>> stored_time("1767225600", "unix")
    '2026-01-01T00:00:00.000Z'
    """
    if form not in {"unix", "unix_ms"} or not (text.isascii() and text.isdecimal()):
        return text
    seconds = int(text[:20]) / (_MILLISECONDS if form == "unix_ms" else 1)
    return rfc3339(datetime.fromtimestamp(min(seconds, _LARGEST_SECONDS), UTC))
