"""A declared API made of recorded traffic: its collections, its rows, and what is unsure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mockserver.collections.places import place_of, value_at
from mockserver.collections.selections import Operator
from mockserver.declared.api import DeclaredApi
from mockserver.declared.declaration import Declaration
from mockserver.declared.documents import words
from mockserver.declared.documents.document import OpenApiDocument
from mockserver.declared.files import DeclaredFile
from mockserver.declared.keywords import as_list, as_object
from mockserver.declared.openapi.collections import inside
from mockserver.declared.openapi.drafts import Draft, draft_of
from mockserver.declared.openapi.recordings import Recorded, document_of
from mockserver.declared.operations import collection_path
from mockserver.model import Json, JsonObject

_NO_EFFECT = "these parameters of the list have no effect: "
_WRITES = frozenset({"create", "replace", "patch", "delete", "action", "bulk", "bulk_delete"})
_NUMBERED = re.compile(r"(.*?)(\d+)")
_MOST_STUBS = 200


@dataclass
class Learned:
    """What recordings come to.

    Attributes:
        draft: The declaration, its data, and what is unsure.
        reads: The reads from before the first write, which the declared API should answer equally.
        unserved: Calls that neither a collection nor a stub answers, `POST /search`.
    """

    draft: Draft
    reads: list[Recorded] = field(default_factory=list)
    unserved: list[str] = field(default_factory=list)


def learned_api(calls: Sequence[Recorded], host: str, name: str) -> Learned:
    """The declared API that recorded calls come to.

    Args:
        calls: Calls of one host, in their order; at least one.
        host: The host.
        name: What the API is called in method ids.
    """
    raw = document_of(calls, host, name)
    draft = draft_of(OpenApiDocument(raw, Path(f"{name}.json")), name)
    draft.source = f"recordings of {host}"
    draft.declaration.pop("title", None)
    auth = draft.declaration.get("auth")
    if auth is not None:
        variable = re.sub(r"\W+", "_", name).upper()
        draft.declaration["auth"] = {**auth, "env": f"{variable}_API_KEY"}
    draft.schemas.clear()
    for each in draft.collections.values():
        each.pop("schema", None)
    for doubts in draft.unsure.values():
        doubts[:] = [each for each in doubts if not each.startswith("examples ")]
    learning = _Learning(draft, calls)
    learning.add_rows()
    learning.add_keys()
    learning.add_filters()
    learning.add_page_sizes()
    learning.add_changes()
    learning.add_defaults()
    learning.add_stubs()
    first = next((number for number, call in enumerate(calls)
                  if call.verb not in {"GET", "HEAD"} and call.is_good), len(calls))  # fmt: skip
    reads = [call for call in calls[:first] if call.verb == "GET"]
    return Learned(draft, reads, learning.unserved)


@dataclass(frozen=True)
class _Use:
    """A call of a collection: what it means there, and the keys around the row."""

    call: Recorded
    kind: str
    collection: str
    captures: tuple[str, ...]
    name: str


_Keys = tuple[str, ...]


class _Rows:
    """The rows of one collection as they were before anything was written.

    Attributes:
        changed: Rows that were written to.
        late: Rows that were first read after that.
    """

    def __init__(self) -> None:
        self._rows: dict[_Keys, JsonObject] = {}
        self._order: dict[_Keys, None] = {}
        self._made: set[_Keys] = set()
        self.changed: set[_Keys] = set()
        self.late: set[_Keys] = set()

    def see(self, use: _Use, place: _Keys, row: JsonObject) -> None:
        """Take a row of an answer; what was known of it before stands."""
        if use.kind == "create":
            self._made.add(place)
        if use.kind not in {"list", "get"} or place in self._made:
            return
        if place not in self._rows and place in self.changed:
            self.late.add(place)
        if place not in self._rows or place not in self.changed:
            self._rows[place] = {**row, **self._rows.get(place, {})}
        if use.kind == "list" and not words.first_of(words.SORTS, use.call.query):
            self._order.setdefault(place)

    def in_order(self) -> list[JsonObject]:
        """The rows in the order of unsorted lists, then those that no such list had."""
        return [self._rows[each] for each in {**self._order, **dict.fromkeys(self._rows)}]


class _Learning:
    """Adds to a draft what the calls tell beyond a document."""

    def __init__(self, draft: Draft, calls: Sequence[Recorded]) -> None:
        self.draft = draft
        self.unserved: list[str] = []
        self._declaration = Declaration.model_validate(draft.whole)
        api = DeclaredApi(DeclaredFile(Path("learned.yaml"), self._declaration))
        self._uses: list[_Use] = []
        self._others: list[Recorded] = []
        self._added: set[str] = set()
        for call in calls:
            found = api.find(call.verb, call.path)
            operation = found.operation if found is not None else None
            if found is None or operation is None:
                self._others.append(call)
                continue
            use = _Use(call, operation.kind, operation.collection, found.captures, operation.name)
            self._uses.append(use)

    def _doubt(self, name: str, text: str) -> None:
        self.draft.unsure.setdefault(name, []).append(text)

    def _of(self, name: str, kind: str) -> Iterator[_Use]:
        return (each for each in self._uses
                if each.collection == name and each.kind == kind and each.call.is_good)  # fmt: skip

    # --- rows ---

    def add_rows(self) -> None:
        """Take the rows of answers as they were before anything was written."""
        self.draft.data = {}
        for name, declared in self._declaration.collections.items():
            found = _Rows()
            for use in self._uses:
                if use.collection == name and use.call.is_good:
                    for place, row in self._rows_of(use):
                        found.see(use, place, row)
                    if use.kind in _WRITES - {"create"}:
                        found.changed.add(use.captures)
            wanted = found.in_order()
            if wanted:
                self.draft.data[name] = wanted
            if self._added:
                self.draft.collections[name]["hidden_fields"] = sorted(self._added)
                self._added.clear()
            if found.late:
                keys = ", ".join("/".join(each) for each in sorted(found.late)[:5])
                self._doubt(name, f"rows were first read after they were changed: {keys}")
            self._check_lists(name, declared.list_in)

    def _check_lists(self, name: str, place: str) -> None:
        seen = {frozenset(as_object(row)) for use in self._of(name, "list")
                for row in as_list(inside(use.call.answer, place))}  # fmt: skip
        hidden = self._hidden(name)
        read = {frozenset(row) - {*hidden} for row in self.draft.data.get(name, ())}
        if len(seen) > 1 or (seen and any(each - set().union(*seen) for each in read)):
            self._doubt(name, "rows have not all the same fields, or more when they are read alone")

    def _rows_of(self, use: _Use) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
        """The rows of an answer.

        Yields:
            The keys around each and its own, and the row with the fields of those around it.
        """
        declared = self._declaration.collections[use.collection]
        around = collection_path(self._declaration, use.collection).around
        outer = use.captures[: len(around)]
        place = declared.list_in if use.kind == "list" else declared.item_in
        found = inside(use.call.answer, place)
        for row in as_list(found) if use.kind == "list" else [found]:
            key = value_at(row, place_of(declared.key)) if isinstance(row, dict) else None
            if not isinstance(row, dict) or isinstance(key, dict | list | bool | None):
                continue
            fields = {each.field: value for each, value in zip(around, outer, strict=False)}
            own = {name: self._outer_key(use.collection, value)
                   for name, value in fields.items() if name not in row}  # fmt: skip
            self._added.update(own)
            yield (*outer, str(key)), {**row, **own}

    def _outer_key(self, name: str, text: str) -> Json:
        parent = self._declaration.collections[name].parent
        outer = self._declaration.collections.get(parent.collection) if parent else None
        is_number = outer is not None and "integer" in {outer.key_type, _kind_of_ids(outer.ids)}
        return int(text) if is_number and text.isdecimal() else text

    # --- keys, filters, pages, actions ---

    def add_keys(self) -> None:
        """Say how new keys are made, where those that were seen follow a pattern."""
        for name, made in self.draft.collections.items():
            if "ids" not in made or made["ids"] == "int":
                continue
            keys = [str(row[made["key"]]) for row in self.draft.data.get(name, ())
                    if isinstance(row.get(made["key"]), str | int)]  # fmt: skip
            keys += [str(row[made["key"]]) for use in self._of(name, "create")
                     for _, row in self._rows_of(use) if made["key"] in row]  # fmt: skip
            found = [_NUMBERED.fullmatch(each) for each in keys]
            starts = {each[1] for each in found if each}
            widths = {len(each[2]) for each in found if each}
            if keys and all(found) and len(starts) == 1:
                digits = any(each and each[2].startswith("0") for each in found)
                number = f"{{{{ pad(seq, {max(widths)}) }}}}" if digits else "{{ seq }}"
                made["ids"] = f"{starts.pop()}{number}"
            elif made["ids"] == "hex":
                self._doubt(name, "what a new key looks like is not told by those that were seen")

    def add_filters(self) -> None:
        """Find the fields that parameters select by, in the rows that came back."""
        for name, made in self.draft.collections.items():
            doubts = self.draft.unsure.get(name, [])
            self.draft.unsure[name] = [each for each in doubts if not each.startswith(_NO_EFFECT)]
            left = [param for each in doubts if each.startswith(_NO_EFFECT)
                    for param in each.removeprefix(_NO_EFFECT).split(", ")]  # fmt: skip
            unknown = []
            for param in left:
                found = self._filter(name, param, made.get("list_in", ""))
                if found is None:
                    unknown.append(param)
                    continue
                place, operator = found
                made.setdefault("filters", {})[param] = (
                    place if operator == "==" else {"field": place, "op": operator}
                )
                self._doubt(name, f"the parameter {param!r} is taken for the field {place!r}"
                                  f" ({operator}), as the rows tell")  # fmt: skip
            if unknown:
                self._doubt(name, f"{_NO_EFFECT}{', '.join(unknown)}")
            if not self.draft.unsure[name]:
                del self.draft.unsure[name]

    def _filter(self, name: str, param: str, list_in: str) -> tuple[str, Operator] | None:
        lists = [(use.call.query[param][0], as_list(inside(use.call.answer, list_in)))
                 for use in self._of(name, "list") if param in use.call.query]  # fmt: skip
        rows = self.draft.data.get(name, [])
        places = {place: None for row in rows for place in _scalar_places(row)}
        best = sorted(places, key=lambda place: not set(words.words_of(param)) & set(
            words.words_of(place)))  # fmt: skip
        operators: tuple[Operator, ...] = ("==", "starts_with", "<=", ">=")
        for operator in operators:
            for place in best:
                path = place_of(place)
                holds = all(_holds(value_at(row, path), operator, value)
                            for value, found in lists for row in found)  # fmt: skip
                selects = any(not _holds(value_at(row, path), operator, value)
                              for value, _ in lists for row in rows)  # fmt: skip
                if holds and selects and any(found for _, found in lists):
                    return place, operator
        return None

    def add_page_sizes(self) -> None:
        """Say how long a page is where nobody asks, by the pages that had a next one."""
        for name, made in self.draft.collections.items():
            paging = made.get("paging")
            if not isinstance(paging, dict):
                continue
            size = paging.get("size", "per_page")
            whole, asked = [], [paging.get("max", 100)]
            for use in self._of(name, "list"):
                count = len(as_list(inside(use.call.answer, made.get("list_in", ""))))
                given = use.call.query.get(size, ())
                asked += [int(each) for each in given if each.isdecimal()]
                token = value_at(use.call.answer, place_of(str(paging.get("next", "none"))))
                more = value_at(use.call.answer, place_of(paging.get("has_more", "has_more")))
                if not given and (use.call.next_params() or token or more is True):
                    whole.append(count)
            if "default" not in paging and whole:
                paging["default"] = max(whole)
            elif "default" not in paging:
                self._doubt(name, "how long a page is where nobody says is not told")
            paging["max"] = max([*asked, paging.get("default", 20)])

    def add_changes(self) -> None:
        """Say what actions change, by the rows before and after them."""
        for name, made in self.draft.collections.items():
            before = {str(row[made["key"]]): row for row in self.draft.data.get(name, ())
                      if made["key"] in row}  # fmt: skip
            for use in self._of(name, "action"):
                row, action = before.get(use.captures[-1]), made["actions"][use.name]
                after = as_object(inside(use.call.answer, made.get("item_in", "")))
                if row is None or after.get(made["key"]) != row[made["key"]]:
                    continue
                times = {made.get("updated", "")}
                change = {field: value for field, value in after.items()
                          if row.get(field) != value and field not in times}  # fmt: skip
                if change:
                    action["set"] = change
                    doubts = self.draft.unsure.get(name, [])
                    told = f"the action {use.name!r} changes nothing"
                    doubts[:] = [each for each in doubts if not each.startswith(told)]
                    self._doubt(name, f"the action {use.name!r} sets what it set once")

    def add_defaults(self) -> None:
        """Say which fields new rows get that nobody sends, where they were always the same."""
        for name, made in self.draft.collections.items():
            own = {
                made["key"],
                made.get("created", ""),
                made.get("updated", ""),
                *self._hidden(name),
            }
            seen: dict[str, list[Json]] = {}
            for use in self._of(name, "create"):
                sent = as_object(inside(use.call.sent, made.get("item_in", "")))
                for _, row in self._rows_of(use):
                    for field_name, value in row.items():
                        if field_name not in sent and field_name not in own:
                            seen.setdefault(field_name, []).append(value)
            fixed = {field_name: values[0] for field_name, values in seen.items()
                     if all(each == values[0] for each in values)}  # fmt: skip
            if fixed:
                made["defaults"] = fixed
                names = ", ".join(fixed)
                self._doubt(name, f"new rows get what they got when recorded: {names}")

    def _hidden(self, name: str) -> list[str]:
        return list(self.draft.collections[name].get("hidden_fields", ()))

    # --- what no collection serves ---

    def add_stubs(self) -> None:
        """Make stubs of reads that no collection serves; note what else is left."""
        stubs: dict[str, JsonObject] = {}
        base = str(self.draft.declaration.get("base_path", ""))
        left: dict[str, None] = {}
        for call in self._others:
            if call.verb != "GET" or not call.is_good or "{" in call.path:
                left.setdefault(f"{call.verb} {call.path}")
                continue
            route = f"GET {call.path.removeprefix(base) or '/'}"
            stub: JsonObject = {"route": route, "template": False}
            query = {each: list(value) if len(value) > 1 else value[0]
                     for each, value in call.query.items()}  # fmt: skip
            stub |= {"match": {"query": query}} if query else {}
            stub |= {"status": call.status} if call.status != 200 else {}
            stubs.setdefault(f"{route} {sorted(query.items())}", {**stub, "body": call.answer})
        if stubs:
            self.draft.declaration["stubs"] = list(stubs.values())[:_MOST_STUBS]
            self._doubt("", f"{len(stubs)} reads are of no collection: their answers are stubs")
        self.unserved = list(left)


def _kind_of_ids(ids: str) -> str:
    return "integer" if ids == "int" else "string"


def _scalar_places(row: Mapping[str, Json], before: str = "") -> Iterator[str]:
    for name, value in row.items():
        if isinstance(value, dict) and not before:
            yield from _scalar_places(value, f"{name}.")
        elif isinstance(value, str | int | float):
            yield f"{before}{name}"


def _holds(value: Json, operator: Operator, wanted: str) -> bool:
    if operator == "==":
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return text == wanted
    if operator == "starts_with":
        return isinstance(value, str) and value.startswith(wanted)
    try:
        is_number = isinstance(value, int | float)
        limit: float | str = float(wanted) if is_number else wanted
    except ValueError:
        return False
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    held: float | str = float(value) if is_number else str(value)
    return held <= limit if operator == "<=" else held >= limit  # type: ignore[operator]
