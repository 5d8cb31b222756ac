"""Collections of the older APIs: rows named by the parameters of their paths, and their changes.

What is written and what must hold is data of the engine of collections (`Collection`, `Schema`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from typing_extensions import override

from mockserver.collections.change import Changes
from mockserver.collections.collection import Collection, Schema
from mockserver.collections.selections import Selection, Without
from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.collections import Resource, etag, list_rows
from mockserver.googleapi.errors import precondition
from mockserver.googleapi.list_rules import ListCall, Order, marked
from mockserver.googleapi.names import name_pattern
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_BOUNDS = {"Min": ">=", "Max": "<="}


def _keep(_: Call, row: JsonObject) -> JsonObject:
    return row


@dataclass(frozen=True, kw_only=True)
class KeyedResource(Resource):
    """A collection whose rows are found by the parameters of a path, `lists/{list}/tasks/{task}`.

    Attributes:
        siblings: The collections of the API, what is written for rows and what must hold.
        rules: The one that its rows are of; its table is the resource's.
        link: The address of a row, over its fields: `https://example.com/lists/{list}/tasks/{id}`.
        windows: Parameters such as `dueMin` and `dueMax`, which bound the time of their field.
        hiding: Parameter to the test of rows that are hidden unless it is true.
        showing: Those of these parameters that are true when they are not sent.
        complete: Completes and checks a row that is to be written; raises ApiError.
    """

    siblings: Schema
    rules: Collection
    link: str
    windows: Sequence[str] = ()
    hiding: Mapping[str, Callable[[JsonObject], object]] = field(default_factory=dict)
    showing: Sequence[str] = ()
    complete: Callable[[Call, JsonObject], JsonObject] = _keep
    parent_param: str = ""
    name_param: str = ""

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
        return Changes(self.siblings, call.world, rfc3339(call.world.clock.now()))

    def found_row(self, call: Call) -> JsonObject:
        """The row that a call names.

        Raises:
            MissingRowError: The session has no such row.
        """
        return self.changes(call).find(self.rules, self.name_in(call).split("/"))

    @override
    def list_answer(
        self, rows: Sequence[JsonObject], several: Sequence[JsonObject], token: str
    ) -> JsonObject:
        return super().list_answer(rows, [self.shown(row) for row in several], token)

    def shown(self, row: JsonObject) -> JsonObject:
        """What callers see of a row: its address and its etag, and not what its path tells."""
        around = {each.field for each in self.rules.parents}
        kept = {name: value for name, value in row.items() if name not in around}
        link = {"selfLink": name_pattern(self.link).filled(row), **kept}
        return {"etag": etag(link), **link}

    def check_match(self, call: Call, row: JsonObject) -> None:
        """Refuse a change of what was changed in the meantime; raises ApiError."""
        if call.body.get("etag", "") not in {"", None, self.shown(row)["etag"]}:
            raise precondition("Precondition Failed")


def _list(resource: KeyedResource, call: Call) -> JsonObject:
    around = resource.parent_in(call).split("/") if resource.rules.parents else ()
    resource.changes(call).check_around(resource.rules, around)
    return list_rows(resource, call)


def _get(resource: KeyedResource, call: Call) -> JsonObject:
    return resource.shown(resource.found_row(call))


def _insert(resource: KeyedResource, call: Call) -> JsonObject:
    rules, changes = resource.rules, resource.changes(call)
    around = resource.parent_in(call).split("/") if rules.parents else ()
    changes.check_around(rules, around)
    row = changes.new_row(rules, call.body, around, None, partial(_new_key, resource, call))
    return resource.shown(changes.insert(rules, resource.complete(call, row)))


def _new_key(resource: KeyedResource, call: Call, _: JsonObject) -> str:
    return call.world.ids.base36(resource.collection, 20)


def _patch(resource: KeyedResource, call: Call) -> JsonObject:
    return _change(resource, call, resource.found_row(call))


def _update(resource: KeyedResource, call: Call) -> JsonObject:
    return _change(resource, call, {})


def _change(resource: KeyedResource, call: Call, kept: JsonObject) -> JsonObject:
    own = resource.found_row(call)
    resource.check_match(call, own)
    sent = {**kept, **call.body, "id": own["id"]}
    row = resource.complete(call, {key: each for key, each in sent.items() if each is not None})
    return resource.shown(resource.changes(call).replace(resource.rules, own, row))


def _delete(resource: KeyedResource, call: Call) -> None:
    resource.changes(call).remove(resource.rules, resource.found_row(call))


def keyed_handlers(resource: KeyedResource, prefix: str) -> Mapping[str, Handler]:
    """Handlers of a collection's standard methods, `tasks.tasks.list` below `tasks.tasks`."""
    answers: Mapping[str, Handler] = {
        "list": partial(_list, resource),
        "get": partial(_get, resource),
        "insert": partial(_insert, resource),
        "patch": partial(_patch, resource),
        "update": partial(_update, resource),
        "delete": partial(_delete, resource),
    }
    return {f"{prefix}.{verb}": answer for verb, answer in answers.items()}
