"""A declared API made of recorded traffic: its collections, its rows, and what is unsure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mockserver.collections import Store
from mockserver.collections.places import place_of, value_at
from mockserver.collections.selections import FieldIndexes, Operator
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
from mockserver.declared.routes import Operation
from mockserver.model import Json, JsonObject

NO_EFFECT = "these parameters of the list have no effect: "
_CHANGES = frozenset({"replace", "patch", "delete", "action", "bulk", "bulk_delete"})
_NUMBERED = re.compile(r"(.*?)(\d+)")
_MOST_STUBS = 200
_Keys = tuple[str, ...]


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
    draft.data.clear()
    for made in draft.collections.values():
        made.pop("schema", None)
    return complete_draft(draft, calls)


def complete_draft(draft: Draft, calls: Sequence[Recorded]) -> Learned:
    """A draft to which calls add their rows and whatever else they tell of its collections."""
    declaration, uses, others = _uses_of(draft, calls)
    for each in draft.collections:
        own = [use for use in uses if use.operation.collection == each]
        _LearnedCollection(draft, declaration, each, own).learn()
    unserved = _add_stubs(draft, others)
    first = next((number for number, call in enumerate(calls)
                  if call.verb not in {"GET", "HEAD"} and call.is_good), len(calls))  # fmt: skip
    return Learned(draft, [call for call in calls[:first] if call.verb == "GET"], unserved)


def rows_before(draft: Draft, calls: Sequence[Recorded]) -> dict[str, list[JsonObject]]:
    """The rows of each collection that calls show, as they were before the calls wrote."""
    declaration, uses, _ = _uses_of(draft, calls)
    return {
        each: _LearnedCollection(
            draft, declaration, each, [use for use in uses if use.operation.collection == each]
        ).rows()
        for each in draft.collections
    }


def _uses_of(
    draft: Draft, calls: Sequence[Recorded]
) -> "tuple[Declaration, list[_Use], list[Recorded]]":
    """The declaration of a draft, the good calls of its collections, and calls of none."""
    declaration = Declaration.model_validate(draft.whole)
    api = DeclaredApi(DeclaredFile(Path("learned.yaml"), declaration))
    uses, others = [], []
    for call in calls:
        found = api.find(call.verb, call.path)
        if found is None or found.operation is None:
            others.append(call)
        elif call.is_good:
            uses.append(_Use(call, found.operation, found.captures))
    return declaration, uses, others


@dataclass(frozen=True)
class _Use:
    """A call of a collection: what it means there, and the keys in its path."""

    call: Recorded
    operation: Operation
    captures: tuple[str, ...]


class _LearnedCollection:
    """A collection of a draft, to which calls add what a document does not tell.

    Args:
        draft: The draft.
        declaration: What it comes to so far.
        name: The collection.
        uses: Its calls that were answered as they were meant.
    """

    def __init__(
        self, draft: Draft, declaration: Declaration, name: str, uses: Sequence[_Use]
    ) -> None:
        self._draft = draft
        self._declaration = declaration
        self._name = name
        self._uses = uses
        self._made = draft.collections[name]
        self._doubts = [each for each in draft.unsure.get(name, ())
                        if not each.startswith("examples ")]  # fmt: skip
        self._rows: list[JsonObject] = []
        self._added: set[str] = set()

    def learn(self) -> None:
        """Add to the draft what the calls tell."""
        self._add_rows()
        if "ids" in self._made and self._made["ids"] != "int":
            self._add_key_form()
        self._add_filters()
        if isinstance(self._made.get("paging"), dict):
            self._add_page_size(self._made["paging"])
        self._add_changes()
        self._add_defaults()
        self._draft.unsure.pop(self._name, None)
        if self._doubts:
            self._draft.unsure[self._name] = self._doubts

    def _of(self, kind: str) -> Iterator[_Use]:
        return (each for each in self._uses if each.operation.kind == kind)

    # --- rows ---

    def rows(self) -> list[JsonObject]:
        """The rows of answers as they were before anything was written."""
        rows, _ = self._rows_before()
        return rows

    def _rows_before(self) -> tuple[list[JsonObject], set[_Keys]]:
        """The same, and the keys of rows that were first read after they were changed."""
        rows: dict[_Keys, JsonObject] = {}
        order: dict[_Keys, None] = {}
        created: set[_Keys] = set()
        changed: set[_Keys] = set()
        late: set[_Keys] = set()
        for use in self._uses:
            kind = use.operation.kind
            for place, row in self._rows_of(use):
                if kind == "create":
                    created.add(place)
                if kind not in {"list", "get"} or place in created:
                    continue
                if place not in rows and place in changed:
                    late.add(place)
                if place not in rows or place not in changed:  # what was known of it before stands
                    rows[place] = {**row, **rows.get(place, {})}
                if kind == "list" and not words.first_of(words.SORTS, use.call.query):
                    order.setdefault(place)
            if kind in _CHANGES:
                changed.add(use.captures)
        # in the order of unsorted lists, then those that no such list had
        return [rows[each] for each in {**order, **dict.fromkeys(rows)}], late

    def _add_rows(self) -> None:
        self._rows, late = self._rows_before()
        if self._rows:
            self._draft.data[self._name] = self._rows
        if self._added:
            self._made["hidden_fields"] = sorted(self._added)
        if late:
            keys = ", ".join("/".join(each) for each in sorted(late)[:5])
            self._doubts.append(f"rows were first read after they were changed: {keys}")
        self._check_fields()

    def _check_fields(self) -> None:
        seen = {frozenset(as_object(row)) for use in self._of("list") for row in self._listed(use)}
        read = {frozenset(row).difference(self._hidden) for row in self._rows}
        if len(seen) > 1 or (seen and any(each - set().union(*seen) for each in read)):
            text = "rows have not all the same fields, or more when they are read alone"
            self._doubts.append(text)

    @property
    def _hidden(self) -> list[str]:
        return [*self._made.get("hidden_fields", ())]

    def _listed(self, use: _Use) -> list[Json]:
        return as_list(inside(use.call.answer, self._made.get("list_in", "")))

    def _rows_of(self, use: _Use) -> Iterator[tuple[_Keys, JsonObject]]:
        """The rows of an answer.

        Yields:
            The keys around each and its own, and the row with the fields of those around it.
        """
        around = collection_path(self._declaration, self._name).around
        outer = use.captures[: len(around)]
        one = inside(use.call.answer, self._made.get("item_in", ""))
        for row in self._listed(use) if use.operation.kind == "list" else [one]:
            key = value_at(row, place_of(self._made["key"]))
            if not isinstance(row, dict) or isinstance(key, dict | list | bool | None):
                continue
            own = {each.field: self._outer_key(value)
                   for each, value in zip(around, outer, strict=False)
                   if each.field not in row}  # fmt: skip
            self._added.update(own)
            yield (*outer, str(key)), {**row, **own}

    def _outer_key(self, text: str) -> Json:
        parent = self._declaration.collections[self._name].parent
        outer = self._declaration.collections.get(parent.collection) if parent else None
        is_number = outer is not None and (outer.key_type == "integer" or outer.ids == "int")
        return int(text) if is_number and text.isdecimal() else text

    # --- keys, filters, pages, actions ---

    def _add_key_form(self) -> None:
        """Say how new keys are made, where those that were seen follow a pattern."""
        key = self._made["key"]
        made = [row for use in self._of("create") for _, row in self._rows_of(use)]
        keys = [row[key] for row in (*self._rows, *made) if isinstance(row.get(key), str | int)]
        found = [_NUMBERED.fullmatch(str(each)) for each in keys]
        starts = {each[1] for each in found if each}
        widths = {len(each[2]) for each in found if each}
        if keys and all(found) and len(starts) == 1:
            digits = any(each and each[2].startswith("0") for each in found)
            number = f"{{{{ pad(seq, {max(widths)}) }}}}" if digits else "{{ seq }}"
            start = starts.pop()
            is_text = not start and not digits and all(isinstance(each, str) for each in keys)
            self._made["ids"] = "{{ seq | string }}" if is_text else f"{start}{number}"
        elif self._made["ids"] == "hex":
            self._doubts.append("what a new key looks like is not told by those that were seen")

    def _add_filters(self) -> None:
        """Find the fields that parameters select by, in the rows that came back."""
        left = [param for each in self._doubts if each.startswith(NO_EFFECT)
                for param in each.removeprefix(NO_EFFECT).split(", ")]  # fmt: skip
        self._doubts = [each for each in self._doubts if not each.startswith(NO_EFFECT)]
        unknown = []
        for param in left:
            found = self._filter(param)
            if found is None:
                unknown.append(param)
                continue
            place, operator = found
            self._made.setdefault("filters", {})[param] = (
                place if operator == "==" else {"field": place, "op": operator}
            )
            self._doubts.append(f"the parameter {param!r} is taken for the field {place!r}"
                                f" ({operator}), as the rows tell")  # fmt: skip
        if unknown:
            self._doubts.append(f"{NO_EFFECT}{', '.join(unknown)}")

    def _filter(self, param: str) -> tuple[str, Operator] | None:
        lists = [(use.call.query[param][0], _store_of(map(as_object, self._listed(use))))
                 for use in self._of("list") if param in use.call.query]  # fmt: skip
        known = _store_of(self._rows)
        places = {place: None for row in self._rows for place in _scalar_places(row)}
        named = set(words.words_of(param))
        best = sorted(places, key=lambda place: not named & set(words.words_of(place)))
        operators: tuple[Operator, ...] = ("==", "starts_with", "<=", ">=")
        for operator in operators if any(len(found) for _, found in lists) else ():
            for place in best:
                select = FieldIndexes(place).select
                holds = all(len(select(found, operator, [value]).places()) == len(found)
                            for value, found in lists)  # fmt: skip
                selects = any(len(select(known, operator, [value]).places()) < len(known)
                              for value, _ in lists)  # fmt: skip
                is_named = operator == "==" and words.words_of(place) == words.words_of(param)
                if holds and (selects or is_named):
                    return place, operator
        return None

    def _add_page_size(self, paging: JsonObject) -> None:
        """Say how long a page is where nobody asks, by the pages that had a next one."""
        size = paging.get("size", "per_page")
        whole, asked = [], [paging.get("max", 100)]
        for use in self._of("list"):
            given = use.call.query.get(size, ())
            asked += [int(each) for each in given if each.isdecimal()]
            token = value_at(use.call.answer, place_of(str(paging.get("next", "none"))))
            more = value_at(use.call.answer, place_of(paging.get("has_more", "has_more")))
            if not given and (use.call.next_params() or token or more is True):
                whole.append(len(self._listed(use)))
        if "default" not in paging and whole:
            paging["default"] = max(whole)
        elif "default" not in paging:
            self._doubts.append("how long a page is where nobody says is not told")
        paging["max"] = max([*asked, paging.get("default", 20)])

    def _add_changes(self) -> None:
        """Say what actions change, by the rows before and after them."""
        key, updated = self._made["key"], self._made.get("updated", "")
        before = {str(row[key]): row for row in self._rows if key in row}
        for use in self._of("action"):
            name, row = use.operation.name, before.get(use.captures[-1])
            after = as_object(inside(use.call.answer, self._made.get("item_in", "")))
            if row is None or after.get(key) != row[key]:
                continue
            change = {field: value for field, value in after.items()
                      if row.get(field) != value and field != updated}  # fmt: skip
            if change:
                self._made["actions"][name]["set"] = change
                told = f"the action {name!r} changes nothing"
                self._doubts = [each for each in self._doubts if not each.startswith(told)]
                self._doubts.append(f"the action {name!r} sets what it set once")

    def _add_defaults(self) -> None:
        """Say which fields new rows get that nobody sends, where they were always the same."""
        times = [self._made.get(each, "") for each in ("created", "updated")]
        own = {self._made["key"], *times, *self._hidden}
        seen: dict[str, list[Json]] = {}
        for use in self._of("create"):
            sent = as_object(inside(use.call.sent, self._made.get("item_in", "")))
            for _, row in self._rows_of(use):
                for name in [each for each in row if each not in {*sent, *own}]:
                    seen.setdefault(name, []).append(row[name])
        fixed = {name: values[0] for name, values in seen.items()
                 if all(each == values[0] for each in values)}  # fmt: skip
        if fixed:
            self._made["defaults"] = fixed
            self._doubts.append(f"new rows get what they got when recorded: {', '.join(fixed)}")


def _add_stubs(draft: Draft, calls: Sequence[Recorded]) -> list[str]:
    """Make stubs of reads that no collection serves.

    Returns:
        What else is left, `POST /search`.
    """
    stubs: dict[str, JsonObject] = {}
    base = str(draft.declaration.get("base_path", ""))
    left: dict[str, None] = {}
    for call in calls:
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
        draft.declaration["stubs"] = list(stubs.values())[:_MOST_STUBS]
        text = f"{len(stubs)} reads are of no collection: their answers are stubs"
        draft.unsure.setdefault("", []).append(text)
    return list(left)


def _scalar_places(row: Mapping[str, Json], before: str = "") -> Iterator[str]:
    for name, value in row.items():
        if isinstance(value, dict) and not before:
            yield from _scalar_places(value, f"{name}.")
        elif isinstance(value, str | int | float):
            yield f"{before}{name}"


def _store_of(rows: Iterable[JsonObject]) -> Store:
    return Store((str(number), row) for number, row in enumerate(rows))
