"""What a suite's data would have to say for its mock to answer reads as they were recorded."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from mockserver.apis import generic
from mockserver.apis.generic.answered_rows import rows_of, with_path
from mockserver.capture.google.plans import is_read_only
from mockserver.capture.snapshots import SnapshotMaker, write_layers
from mockserver.collections.places import Place, has_field, place_of, value_at, with_value
from mockserver.googleapi import Api
from mockserver.messages import read_json, read_json_object
from mockserver.model import Capture, Cassette, Interaction, Json, JsonObject, SessionSpec
from mockserver.redaction import StatedValues, texts_of
from mockserver.routing import Route, Routes
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.verify.comparison import UNSAID, differences
from mockserver.verify.seeds import READS, declared_rows
from mockserver.verify.values import Translation

_NAMES = (("selfLink",), ("primaryEmail",), ("email",))
"""Fields that tell rows apart before those that are said to do so."""
_WHOLE = frozenset({"alt", "customer", "fields", "key", "maxResults", "orderBy", "pageSize",
                    "prettyPrint", "project", "sortOrder"})  # fmt: skip
"""Parameters that leave a list whole."""

Spot = tuple[str, ...]
"""The keys of a snapshot that lead to a list of rows, or to the one row that is there."""


class _Rows(NamedTuple):
    """The rows of an answer that stand at one place of a snapshot.

    Attributes:
        rows: The rows, as a snapshot holds them.
        names: Fields that tell them apart; the first of which two rows have all decides.
        is_list: Whether a list of rows stands there.
    """

    rows: Sequence[JsonObject]
    names: Sequence[tuple[str, ...]]
    is_list: bool = True

    def are_one(
        self, row: JsonObject, other: JsonObject, translation: Translation | None = None
    ) -> bool:
        """Whether two rows are the same one, as their names tell."""
        for fields in self.names:
            pairs = [(value_at(row, place_of(each)), value_at(other, place_of(each)))
                     for each in fields]  # fmt: skip
            if pairs and all(one is not None and two is not None for one, two in pairs):
                return all(one == two or (translation and translation.own_name(one) == two)
                           for one, two in pairs)  # fmt: skip
        return not self.is_list

    def name_of(self, row: JsonObject) -> str:
        """What a row is called."""
        for fields in self.names:
            values = [value_at(row, place_of(each)) for each in fields]
            if values and all(isinstance(each, str | int) for each in values):
                return str(values[0])
        return "?"


class Proposals:
    """Collects what recorded reads say otherwise than the data of a suite.

    Args:
        apis: The emulated APIs.
        suite: The suite's folder.
        routes: What requests mean.

    Attributes:
        unplaced: Rows that were recorded otherwise, and that the suite holds in another form.
    """

    def __init__(self, apis: Sequence[Api], suite: Path, routes: Routes) -> None:
        self._maker = SnapshotMaker(apis, routes.catalog)
        self._captures = {name: each for api in apis for name, each in api.captures().items()}
        self._base = SnapshotResolver(suite).merged_snapshot(SessionSpec())
        self._wanted = self._base
        self._has_written = False
        self.unplaced: dict[str, None] = {}

    def stated(self) -> StatedValues:
        """What the suite says in clear: it may stay so in what is proposed."""
        return StatedValues(texts_of(self._base))

    def begin(self) -> None:
        """Begin with another recording: what it reads was there until it writes."""
        self._has_written = False

    def take(
        self, asked: Interaction, route: Route, given: Interaction, translation: Translation
    ) -> None:
        """Take in one exchange.

        Args:
            asked: As it was recorded.
            route: What it means.
            given: The same request with the mock's answer.
            translation: What stands for what.
        """
        method, status = route.method, asked.response.status
        if asked.request.method not in READS and (method is None or not is_read_only(method)):
            self._has_written = self._has_written or status < 300
            return
        if self._has_written or not (status < 300 or status == 404):
            return
        if status < 300 and read_json(asked.response.body)[0] is None:  # cut off, or no JSON
            return
        recorded, ours = (dict(self._rows(each, route)) for each in (asked, given))
        for spot in {**recorded, **ours}:
            told = recorded.get(spot) or ours[spot]._replace(rows=())
            left = list(ours[spot].rows) if spot in ours else []
            for row in told.rows:
                alike = [each for each in left if told.are_one(row, each, translation)]
                if alike:
                    left.remove(alike[0])
                    self._change(spot, told, row, alike[0], translation)
                elif not self._places(spot, told, row):
                    self._put(spot, told, row)
            if _is_list(route) == (status < 300) and _is_whole(asked):
                for own in left:
                    self._remove(spot, told, own)

    def write(self, folder: Path) -> tuple[str, ...]:
        """Write what was collected as an override: a line for each file, none where all agrees.

        Raises:
            MockServerError: There is an override in the folder.
            CaptureError: It cannot be written.
        """
        return tuple(write_layers(self._base, self._wanted, folder))

    def _rows(self, interaction: Interaction, route: Route) -> Iterator[tuple[Spot, _Rows]]:
        """The rows of an answer.

        Yields:
            Each place of a snapshot, with those that stand there.
        """
        body, query = interaction.response.body, urlsplit(interaction.request.url).query
        if interaction.response.status >= 300:
            return
        if route.declared is not None and route.declared.operation is not None:
            declared, name = route.declared, route.declared.operation.collection
            rows = [row for _, _, row in declared_rows(declared, read_json(body)[0])]
            if rows:
                kind = declared.api.rows[name]
                key = (kind.declared.key, *(each.field for each in kind.collection.parents))
                yield (declared.api.declaration.api, name), _Rows(rows, (key,))
        elif route.method_id in self._captures:
            raw = self._maker.make(Cassette("", (interaction,))).raw
            for capture in self._captures[route.method_id]:
                yield from _captured(capture, raw.get(capture.collection))
        elif route.method is not None:
            plan = generic.plan_of(route.method)
            found = rows_of(route.method, route.captures, read_json_object(body), query)
            rows = [with_path(route.method, route.captures, row) for _, _, row in found]
            if rows:
                names = (*_NAMES, tuple(".".join(each) for each in plan.id_fields if each))
                spot = (generic.SERVED_DOCUMENTS, plan.document_key, plan.collection)
                yield spot, _Rows(rows, names)

    def _change(
        self, spot: Spot, told: _Rows, row: JsonObject, own: JsonObject, translation: Translation
    ) -> None:
        """Let the suite say of a row what was recorded of it."""
        found = [each for each in differences(row, own, translation, "") if each.kind in UNSAID]
        if not found:
            return
        places = self._places(spot, told, own)
        if len(places) != 1:
            self.unplaced["/".join((*spot, told.name_of(own)))] = None
            return
        there = self._rows_at(spot, told)[places[0]]
        for place in {_place_in(row, each.field): None for each in found}:
            there = with_value(there, place, value_at(row, place))
        self._put(spot, told, there, places[0])

    def _rows_at(self, spot: Spot, told: _Rows) -> dict[str | int, JsonObject]:
        """What the suite holds at a place, by the numbers or the keys of rows."""
        value = value_at(self._wanted, spot)
        if isinstance(value, list):
            return dict(enumerate(value))
        if not told.is_list:
            return {"": value} if isinstance(value, dict) else {}
        return {**value} if isinstance(value, dict) else {}

    def _places(self, spot: Spot, told: _Rows, row: JsonObject) -> list[str | int]:
        """Which of the rows that the suite holds are a row."""
        held = self._rows_at(spot, told)
        return [number for number, each in held.items() if told.are_one(row, each)]

    def _put(
        self, spot: Spot, told: _Rows, row: JsonObject, place: str | int | None = None
    ) -> None:
        """Put a row at a place, or behind the others."""
        held = self._rows_at(spot, told)
        if isinstance(value_at(self._wanted, spot), dict):
            held[told.name_of(row) if place is None else place] = row
        else:
            held[len(held) if place is None else place] = row
        self._keep(spot, told, held)

    def _remove(self, spot: Spot, told: _Rows, row: JsonObject) -> None:
        held = self._rows_at(spot, told)
        for place in self._places(spot, told, row)[:1]:
            del held[place]
            self._keep(spot, told, held)

    def _keep(self, spot: Spot, told: _Rows, held: dict[str | int, JsonObject]) -> None:
        """Let the suite hold rows at a place; a list where nothing is there yet."""
        value: Json = held if isinstance(value_at(self._wanted, spot), dict) else [*held.values()]
        if not told.is_list:
            value = held[""]
        elif not all(isinstance(each, dict) for each in held.values()):
            self.unplaced["/".join(spot)] = None
            return
        self._wanted = with_value(self._wanted, spot, value)


def _captured(capture: Capture, value: Json) -> Iterator[tuple[Spot, _Rows]]:
    """The rows of a captured collection.

    Yields:
        Each place of a snapshot, with those that stand there.
    """
    names = (*_NAMES, capture.identity)
    lists = value if isinstance(value, dict) and (capture.under or capture.shape == "lists") else {}
    for name, rows in lists.items():
        yield (capture.collection, name), _Rows(rows, names)
    if isinstance(value, list):
        yield (capture.collection,), _Rows(value, names)
    elif isinstance(value, dict) and not lists:
        yield (capture.collection,), _Rows([value], names, is_list=False)


def _is_list(route: Route) -> bool:
    if route.declared is not None:
        return route.declared.operation is not None and route.declared.operation.kind == "list"
    return route.method is not None and generic.plan_of(route.method).verb == "list"


def _is_whole(asked: Interaction) -> bool:
    """Whether an answer holds all that is there: nothing selects rows, and no page follows."""
    names = {name for name, _ in parse_qsl(urlsplit(asked.request.url).query)}
    return names <= _WHOLE and "nextPageToken" not in read_json_object(asked.response.body)


def _place_in(row: JsonObject, field: str) -> Place:
    """The place of a field that can be set: not inside of a list, nor below a name with dots."""
    place = place_of(field.partition("[]")[0])
    return place if has_field(row, place) else place[:1]
