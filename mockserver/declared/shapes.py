"""How rows look in answers: what is hidden and what is added, how times are written, addresses."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote

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
        declared: The collection.
        table: Its table, for what templates make.
        path: The path of one row below the base path, `/bookings/{id}`.
    """

    def __init__(self, declared: Collection, table: str, path: str) -> None:
        self._declared = declared
        self._table = table
        self._around = PLACEHOLDER.split(path)[::2]
        self._hidden = [place_of(each) for each in declared.hidden_fields]
        added = declared.answer_fields
        self._constant = {name: each for name, each in added.items() if not has_templates(each)}
        self._made = {name: each for name, each in added.items() if has_templates(each)}
        names = (declared.created, declared.updated, *declared.times)
        self._times = [place_of(name) for name in names if name]

    def path(self, keys: tuple[str, ...]) -> str:
        """The path of a row below the base path.

        Args:
            keys: The values of its placeholders, the row's key last.
        """
        pieces = [self._around[0]]
        for key, literal in zip(keys, self._around[1:], strict=True):
            pieces += (quote(key, safe=""), literal)
        return "".join(pieces)

    def show(self, row: JsonObject, keys: tuple[str, ...], call: DeclaredCall) -> JsonObject:
        """A row as answers show it.

        Args:
            row: The row.
            keys: The values of the placeholders of its path.
            call: What is answered.
        """
        for place in self._hidden:
            row = without_field(row, place)
        if self._declared.time_format != "rfc3339":
            for place in self._times:
                moment = value_at(row, place)
                if isinstance(moment, str):
                    row = with_value(row, place, written_time(moment, self._declared.time_format))
        if self._constant:
            row = {**self._constant, **row}
        missing = {name: each for name, each in self._made.items() if name not in row}
        if missing:
            values: dict[str, Any] = {"row": row, "url": f"{call.url}{self.path(keys)}"}
            if set(missing.values()) != {"{{ url }}"}:
                values = {**row_values(call.world, self._table, params=call.params), **values}
            row = {**row, **render(missing, values)}
        return row

    def wrap(self, row: JsonObject) -> JsonObject:
        """A row that is shown, in its envelope."""
        return put_in(self._declared.item_in, row) if self._declared.item_in else row

    def unwrap(self, body: Json) -> Json:
        """A body without its envelope; bare bodies are taken as well."""
        place = self._declared.item_in
        if place and isinstance(body, dict):
            found = value_at(body, place_of(place))
            return body if found is None else found
        return body


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


def list_fields(
    declared: Collection, call: DeclaredCall, path: str, values: Mapping[str, Any]
) -> JsonObject:
    """What a list's envelope says beside its rows.

    Args:
        declared: The collection.
        call: What is answered.
        path: The path of the list, with the base path.
        values: What its templates may speak of beside `path`, `params` and what sessions have.
    """
    if not has_templates(declared.list_fields):
        return declared.list_fields
    known = row_values(call.world, call.operation.id, params=call.params, path=path, **values)
    made: JsonObject = render(declared.list_fields, known)
    return made
