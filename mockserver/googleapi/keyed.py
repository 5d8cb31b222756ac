"""Collections of the older APIs: rows named by the parameters of their paths, and their changes.

What is written and what must hold is data of the engine of collections (`Collection`, `Schema`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from typing_extensions import override

from mockserver.collections.change import Changes
from mockserver.collections.collection import Collection, Schema
from mockserver.collections.places import without_field
from mockserver.collections.selections import Selection, Without
from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.collections import Resource, etag, list_rows
from mockserver.googleapi.errors import not_emulated, precondition
from mockserver.googleapi.list_rules import ListCall, Order, marked
from mockserver.googleapi.names import WILDCARD, NamePattern, name_pattern
from mockserver.googleapi.raw_snapshot import Rows, SnapshotImport
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import parse_rfc3339, rfc3339

_BOUNDS = {"Min": ">=", "Max": "<="}


@dataclass(frozen=True, kw_only=True)
class KeyedResource(Resource):
    """A collection whose rows are found by the parameters of a path, `lists/{list}/tasks/{task}`.

    Attributes:
        siblings: The collections of the API, what is written for rows and what must hold.
        rules: The one that its rows are of; its table, `tasks:v1/tasks`, is the resource's.
        link: The address of a row, over its fields: `https://example.com/lists/{list}/tasks/{id}`.
        windows: Parameters such as `dueMin` and `dueMax`, which bound the time of their field.
        hiding: Parameter to the test of rows that are hidden unless it is true.
        showing: Those of these parameters that are true when they are not sent.
        computed: Fields that follow from a row and the time at every write; None removes one.
        after: The parameter that names the sibling behind which a row is put; what siblings have
            in common is told by parameters of the fields' names.
        destination: The parameter that would move a row into another row around it: a 501.
        untold: Fields of a row that a snapshot has not, but rows inside of it.
    """

    collection: str = ""
    list_key: str = "items"
    parent_param: str = ""
    name_param: str = ""
    siblings: Schema
    rules: Collection
    link: str
    windows: Sequence[str] = ()
    hiding: Mapping[str, Callable[[JsonObject], object]] = field(default_factory=dict)
    showing: Sequence[str] = ()
    computed: Mapping[str, Callable[[JsonObject, str], Json]] = field(default_factory=dict)
    after: str = ""
    destination: str = ""
    untold: JsonMapping = field(default_factory=dict)

    @override
    def __post_init__(self) -> None:
        object.__setattr__(self, "collection", self.rules.table)
        object.__setattr__(self, "show", lambda _, row: self.visible_row(row))

    @override
    def handlers(self, api: str) -> Mapping[str, Handler]:
        answers: dict[str, Handler] = {
            "list": self._list,
            "get": lambda call: self.visible_row(self.require_row(call)),
            "insert": self._insert,
            "patch": partial(self._change, is_whole=False),
            "update": partial(self._change, is_whole=True),
            "delete": lambda call: self.changes(call).remove(self.rules, self.require_row(call)),
            **({"move": self._move} if self.rules.position else {}),
        }
        noun = self.collection.rpartition("/")[2]
        return {f"{api}.{noun}.{verb}": answer for verb, answer in answers.items()}

    @override
    def query(self, asked: ListCall) -> tuple[Sequence[Selection], Order]:
        params, table = asked.call.params, asked.table
        selected, order = super().query(asked)
        found = [*selected]
        for each in self.windows:
            if each in params:
                found.append(asked.window(each[:-3], _BOUNDS[each[-3:]], each))
        for name, test in self.hiding.items():
            marks = marked(table, test, f"hidden without {name}")
            if not params.get(name, name in self.showing) and len(marks):
                found.append(Without(table, marks))
        return found, order

    def changes(self, call: Call) -> Changes:
        """What reads and changes rows for a call."""
        now = rfc3339(call.world.clock.now())
        return Changes(self.siblings, call.world, now, partial(self._compute, now))

    def _compute(self, now: str, collection: Collection, row: JsonObject) -> JsonObject:
        for name, value in self.computed.items() if collection is self.rules else ():
            made = value(row, now)
            row = without_field(row, (name,)) if made is None else {**row, name: made}
        return row

    def keys_in(self, link: str) -> Mapping[str, str]:
        """The keys of the rows around that the end of an address tells, by their fields."""
        tail = name_pattern(self.link).segments[-2 * len(self.rules.parents) - 2 :]
        return NamePattern(tail).captures("/".join(link.split("/")[-len(tail) :])) or {}

    def visible_row(self, row: JsonObject) -> JsonObject:
        """What callers see of a row: its address and its etag, and not what its path tells."""
        around = {each.field for each in self.rules.parents}
        kept = {name: value for name, value in row.items() if name not in around}
        link = {"selfLink": name_pattern(self.link).filled(row), **kept}
        return {"etag": etag(link), **link}

    def require_row(self, call: Call) -> JsonObject:
        """The row that a call names; raises MissingRowError."""
        return self.changes(call).find(self.rules, self.name_in(call).split("/"))

    def around(self, call: Call) -> Sequence[str]:
        """The keys of the rows around that a call names; raises MissingRowError."""
        keys = self.parent_in(call).split("/") if self.rules.parents else ()
        self.changes(call).check_around(self.rules, keys)
        return keys

    def _list(self, call: Call) -> JsonObject:
        self.around(call)
        return list_rows(self, call)

    def _insert(self, call: Call) -> JsonObject:
        changes, around, ids = self.changes(call), self.around(call), call.world.ids
        row = changes.new_row(
            self.rules, call.body, around, None, lambda _: ids.base36(self.collection, 20)
        )
        return self.visible_row(changes.insert(self.rules, self._with_place(call, row)))

    def _change(self, call: Call, *, is_whole: bool) -> JsonObject:
        own = self.require_row(call)
        if call.body.get("etag", "") not in {"", None, self.visible_row(own)["etag"]}:
            raise precondition("Precondition Failed")
        sent = {**({} if is_whole else own), **call.body, "id": own["id"]}
        row = {key: each for key, each in sent.items() if each is not None}
        return self.visible_row(self.changes(call).replace(self.rules, own, row))

    def _move(self, call: Call) -> JsonObject:
        around = self.parent_in(call).rpartition("/")[2]
        if call.params.get(self.destination, around) != around:
            raise not_emulated(call.id)
        own = self.require_row(call)
        return self.visible_row(
            self.changes(call).update(self.rules, own, self._with_place(call, own))
        )

    def _with_place(self, call: Call, row: JsonObject) -> JsonObject:
        for name in self.rules.position.alike if self.rules.position else ():
            row = without_field(row, (name,))
            row = {**row, name: call.params[name]} if call.params.get(name) else row
        after = str(call.params.get(self.after) or "")
        return self.changes(call).with_position(self.rules, row, after)


def field_problems(
    row: JsonObject, *, times: Sequence[str] = (), choices: Mapping[str, Sequence[str]]
) -> Sequence[tuple[str, str]]:
    """What is wrong with fields that hold times, or one of some texts; for `problems`."""
    wrong = [name for name, known in choices.items() if row.get(name) not in known]
    for name in times:
        try:
            parse_rfc3339(row.get(name, "1970-01-01T00:00:00Z"))
        except ValueError:
            wrong.append(name)
    return [(f"/{name}", "Invalid Value") for name in wrong]


def import_keyed_rows(resources: Sequence[KeyedResource], found: SnapshotImport) -> None:
    """Put what `resources` of a snapshot has of an API into the tables of its collections.

    The rows around a row are told by its fields, by the path of its collection
    (`lists/work/tasks`), or by its `selfLink`; otherwise they are the first that there are. A row
    without a key gets its number.
    """
    held = found.raw.get("resources")
    held = held.get(resources[0].collection.partition("/")[0]) if isinstance(held, dict) else None
    named = held.items() if isinstance(held, dict) else ()
    given = [(name, row) for name, rows in named if isinstance(rows, list) for row in rows]
    given = [(name, row) for name, row in given if isinstance(row, dict)]  # others are told of
    by_name = {each.rules.name: each for each in resources}
    tables: dict[str, Rows] = {name: {} for name in by_name}
    for each in resources:
        around = [parent.collection for parent in each.rules.parents]
        fields = [parent.field for parent in each.rules.parents]
        firsts = [key for outer in around for key in [*tables[outer]][:1]]
        first = dict(pair for key in firsts for pair in zip(fields, key.split("/"), strict=False))
        for number, (name, row) in enumerate(given):
            if name.rpartition("/")[2] not in {each.rules.name, each.collection.rpartition("/")[2]}:
                continue
            told = (row, each.keys_in(f"{name}/-"), each.keys_in(str(row.get("selfLink"))), first)
            row = {**row, "id": str(row.get("id") or number)}
            for place in fields:
                known = (str(one[place]) for one in told if one.get(place))
                row[place] = next((key for key in known if key != WILDCARD), "default")
            keys = each.rules.keys_of(row)
            tables[each.rules.name]["/".join(keys)] = row
            for depth, outer in enumerate(around):
                untold = {**dict(zip(fields[:depth], keys, strict=False)), "id": keys[depth]}
                untold = {**by_name[outer].rules.defaults, **untold, **by_name[outer].untold}
                tables[outer].setdefault("/".join(keys[: depth + 1]), untold)
    for each in resources if any(tables.values()) else ():
        names = (each.rules.created, each.rules.updated, *each.rules.timed)
        found.times[each.collection] = tuple((name,) for name in names if name)
        found.tables[each.collection] = tables[each.rules.name]
