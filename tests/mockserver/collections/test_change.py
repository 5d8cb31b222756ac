"""Laws hold any changes against what must always be so; tables say what a single one does."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import Store
from mockserver.collections.change import Changes
from mockserver.collections.collection import (
    Collection,
    OnDelete,
    Parent,
    Position,
    Reference,
    Schema,
    Version,
    as_text,
)
from mockserver.collections.refusals import (
    BrokenReferenceError,
    CircularReferenceError,
    DuplicateKeyError,
    ImmutableFieldError,
    InvalidFieldsError,
    KeysUsedUpError,
    MissingKeyError,
    MissingRowError,
    NotUniqueError,
    ReferencedError,
    RefusedError,
    StaleVersionError,
)
from mockserver.model import JsonObject


class Plain:
    """Tables without a session."""

    def __init__(self) -> None:
        self.stores: dict[str, Store] = {}

    def table(self, name: str) -> Store:
        return self.stores.setdefault(name, Store())

    def put(self, name: str, key: str, row: JsonObject) -> None:
        self.table(name).put(key, row)

    def delete(self, name: str, key: str) -> None:
        self.table(name).delete(key)

    def content(self) -> dict[str, dict[str, JsonObject]]:
        return {name: dict(store.rows()) for name, store in self.stores.items() if len(store)}


def problems(row: JsonObject) -> list[tuple[str, str]]:
    return [] if row.get("seats", 1) else [("/seats", "is none")]


def schema(on_delete: OnDelete = "keep", nested: Any = "cascade") -> Schema:
    flights = Collection(name="flights", unique=(("number",),), problems=problems)
    bookings = Collection(
        name="bookings",
        table="travel.bookings",
        key_is_number=True,
        defaults={"status": "open", "meta.by": "us"},
        output_only=("owner",),
        immutable=("flight",),
        created="created",
        updated="updated",
        versions=(Version(), Version("rev", "number"), Version("meta.rev", "text")),
        unique=(("name", "flight"),),
        references=(
            Reference("flight", "flights", "id", on_delete),
            Reference("twin", "bookings", "id", on_delete),
        ),
    )
    passengers = Collection(name="passengers", parents=(Parent("booking", "bookings", nested),))
    bags = Collection(
        name="bags",
        parents=(Parent("booking", "bookings"), Parent("passenger", "passengers")),
    )
    return Schema([flights, bookings, passengers, bags])


def changes(on_delete: OnDelete = "keep", nested: Any = "cascade") -> Changes:
    made = Changes(schema(on_delete, nested), Plain(), "2026-01-01T00:00:00Z")
    known = made.schema
    for key in "F1", "F2":
        made.insert(known["flights"], {"id": key, "number": key})
    for number, twin in (1, None), (2, 1):
        body = {"id": number, "name": "Ann", "flight": f"F{number}", "twin": twin}
        made.insert(known["bookings"], made.new_row(known["bookings"], body))
    passenger = made.new_row(known["passengers"], {"id": "p"}, ("1",))
    made.insert(known["passengers"], passenger)
    made.insert(known["bags"], made.new_row(known["bags"], {"id": "b"}, ("1", "p")))
    return made


def content(made: Changes) -> dict[str, dict[str, JsonObject]]:
    assert isinstance(made.tables, Plain)
    return made.tables.content()


def test_a_new_row_has_its_key_first_and_what_is_written_for_it() -> None:
    made = changes()
    sent = {"id": 3, "owner": "me", "meta": {"x": 1}, "rev": 9, "flight": "F1"}
    row = made.new_row(made.schema["bookings"], sent)
    assert next(iter(row)) == "id"
    assert row == {
        "id": 3, "status": "open", "meta": {"x": 1, "by": "us", "rev": "1"}, "rev": 1,
        "flight": "F1", "created": made.now, "updated": made.now,
    }  # fmt: skip
    bag = made.new_row(made.schema["bags"], {"id": "b"}, ("1", "p"))
    assert bag == {"id": "b", "booking": 1, "passenger": "p"}
    assert made.schema["bags"].key_of(bag) == "1/p/b"


def test_keys_and_defaults_are_made_by_who_is_handed_in() -> None:
    made = changes()
    numbers = iter((1, 2, 7))
    row = made.new_row(
        made.schema["bookings"], {"id": ""}, (), lambda defaults: dict.fromkeys(defaults, "x"),
        lambda _: next(numbers),
    )  # fmt: skip
    assert (row["id"], row["status"], row["meta"]["by"]) == (7, "x", "x")
    with pytest.raises(KeysUsedUpError):
        made.new_row(made.schema["bookings"], {}, (), None, lambda _: 1)


def test_a_change_keeps_what_stays_and_counts() -> None:
    made = changes()
    bookings = made.schema["bookings"]
    own = {**made.find(bookings, ["1"]), "owner": "us"}
    later = Changes(made.schema, made.tables, "2027-01-01T00:00:00Z")
    sent = {**own, "id": "1", "owner": "me", "created": "never", "name": "Bo"}
    row = later.replace(bookings, own, sent)
    assert (row["id"], row["owner"], row["created"]) == (1, "us", made.now)
    assert (row["updated"], row["rev"], row["meta"]["rev"]) == (later.now, 2, "2")
    assert later.find(bookings, ["1"]) == row
    assert bookings.version_of(row) != bookings.version_of(own)


Try = Callable[[Changes], object]


def insert(name: str, row: JsonObject) -> Try:
    return lambda made: made.insert(made.schema[name], row)


def replace(more: JsonObject) -> Try:
    def change(made: Changes) -> object:
        own = made.find(made.schema["bookings"], ["1"])
        return made.replace(made.schema["bookings"], own, {**own, **more})

    return change


@pytest.mark.parametrize(
    ("attempt", "error", "facts"),
    [
        (insert("flights", {"id": "F1"}), DuplicateKeyError, {"key": "F1"}),
        (insert("flights", {"id": "F3", "number": "F1"}), NotUniqueError,
         {"fields": ("number",), "holder": "F1"}),
        (insert("flights", {"id": "F3", "seats": 0}), InvalidFieldsError,
         {"problems": [("/seats", "is none")]}),
        (insert("bookings", {"id": 3, "flight": "F9"}), BrokenReferenceError,
         {"broken": [(Reference("flight", "flights", "id"), "F9")]}),
        (lambda made: made.new_row(made.schema["flights"], {}), MissingKeyError, {}),
        (lambda made: made.new_row(made.schema["flights"], {"id": ""}), MissingKeyError, {}),
        (lambda made: made.new_row(made.schema["flights"], {"id": [1]}), InvalidFieldsError,
         {"problems": [("/id", "must be a text or a number")]}),
        (lambda made: made.find(made.schema["flights"], ["F11"]), MissingRowError,
         {"key": "F11", "nearest": "F1"}),
        (lambda made: made.check_around(made.schema["bags"], ("1", "q")), MissingRowError,
         {"key": "q", "nearest": ""}),
        (replace({"id": 9}), ImmutableFieldError, {"field": "id"}),
        (replace({"flight": "F2"}), ImmutableFieldError, {"field": "flight"}),
        (replace({"twin": 8}), BrokenReferenceError,
         {"broken": [(Reference("twin", "bookings", "id"), 8)]}),
        (replace({"rev": 7}), StaleVersionError, {"condition": "rev", "version": 1}),
    ],
)  # fmt: skip
def test_a_refusal_holds_facts_and_leaves_all_as_it_was(
    attempt: Try, error: type[RefusedError], facts: dict[str, object]
) -> None:
    made = changes()
    before = content(made)
    with pytest.raises(error) as refused:
        attempt(made)
    assert {name: getattr(refused.value, name) for name in facts} == facts
    assert str(refused.value).startswith(f"{refused.value.collection.name}: ")
    assert content(made) == before


@pytest.mark.parametrize(
    ("on_delete", "left", "twin"),
    [("keep", ["2"], 1), ("clear", ["2"], None), ("cascade", [], None)],
)
def test_a_deletion_reaches_what_is_inside_and_what_names_it(
    on_delete: OnDelete, left: list[str], twin: int | None
) -> None:
    made = changes(on_delete)
    bookings = made.schema["bookings"]
    made.remove(bookings, made.find(bookings, ["1"]))
    found = content(made)
    assert list(found.get("travel.bookings", {})) == left
    assert not {"passengers", "bags"} & found.keys()
    for row in found.get("travel.bookings", {}).values():
        assert row.get("twin") == twin
        assert row["rev"] == (2 if on_delete == "clear" else 1)


def test_a_deletion_that_a_row_forbids_changes_nothing() -> None:
    made = changes("refuse")
    before = content(made)
    bookings = made.schema["bookings"]
    with pytest.raises(ReferencedError) as refused:
        made.remove(bookings, made.find(bookings, ["1"]))
    assert (refused.value.key, refused.value.by.name, refused.value.holder) == (
        "1",
        "bookings",
        "2",
    )
    inside = changes("keep", "refuse")
    with pytest.raises(ReferencedError) as refused:
        inside.remove(inside.schema["bookings"], inside.find(inside.schema["bookings"], ["1"]))
    assert (refused.value.by.name, refused.value.holder) == ("bags", "1/p/b")
    assert content(made) == before == content(inside)


def test_what_is_inside_of_a_row_that_leaves_a_tombstone_leaves_none() -> None:
    gone = {"state": "DELETED"}
    lists = Collection(name="lists", tombstone=gone, updated="at")
    items = Collection(name="items", parents=(Parent("list", "lists"),), tombstone=gone)
    made = Changes(Schema([lists, items]), Plain(), "2026-01-01T00:00:00Z")
    made.insert(lists, made.new_row(lists, {"id": "a"}))
    for key in "x", "y":
        made.insert(items, made.new_row(items, {"id": key}, ("a",)))
    made.remove(items, made.find(items, ["a", "x"]))
    left = content(made)["items"]
    assert {key: row.get("state") for key, row in left.items()} == {"a/x": "DELETED", "a/y": None}
    made.remove(lists, made.find(lists, ["a"]))
    assert content(made) == {"lists": {"a": {"id": "a", "at": made.now, **gone}}}


def test_each_reference_is_cleared_or_kept_as_it_says() -> None:
    rooms = Collection(name="rooms")
    beds = Collection(
        name="beds",
        references=(
            Reference("first", "rooms", "id", "keep"),
            Reference("second", "rooms", "id", "clear"),
            Reference("third", "rooms", "id", "clear"),
        ),
    )
    made = Changes(Schema([rooms, beds]), Plain())
    made.insert(rooms, {"id": "r"})
    named = {"first": "r", "second": "r", "third": "r"}
    for key in "a", "b":
        made.insert(beds, {"id": key, **named})
    made.remove(rooms, {"id": "r"})
    assert content(made) == {"beds": {key: {"id": key, "first": "r"} for key in "ab"}}


def test_rows_that_name_each_other_in_a_circle_go_together() -> None:
    for on_delete in ("cascade", "refuse"):
        made = changes(on_delete)
        bookings = made.schema["bookings"]
        one = made.find(bookings, ["1"])
        made.update(bookings, one, {**one, "twin": 2 if on_delete == "cascade" else 1})
        if on_delete == "cascade":
            made.remove(bookings, made.find(bookings, ["1"]))
            assert "travel.bookings" not in content(made)
        else:
            made.remove(bookings, made.find(bookings, ["2"]))
            made.remove(bookings, made.find(bookings, ["1"]))


def test_a_row_is_not_put_below_itself() -> None:
    tree = Collection(name="tree", references=(Reference("up", "tree", "id", within=True),))
    made = Changes(Schema([tree]), Plain())
    top, below = ({"id": key, **up} for key, up in (("a", {}), ("b", {"up": "a"})))
    for row in top, below:
        made.insert(tree, row)
    with pytest.raises(CircularReferenceError, match="below the row itself"):
        made.update(tree, top, {**top, "up": "b"})


ORDERED = Collection(
    name="steps", parents=(Parent("list"),), position=Position("at", alike=("up", "meta.kind"))
)


def test_a_row_stands_behind_its_sibling_or_first() -> None:
    made = Changes(Schema([ORDERED]), Plain())

    def put(key: str, after: str = "", *, around: str = "l", up: str = "") -> None:
        row = {"id": key, "list": around, "up": up, "meta": {"kind": 1}}
        made.insert(ORDERED, made.with_position(ORDERED, row, after))

    def order(up: str = "") -> list[str]:
        rows = [row for row in made.tables.table("steps").rows().values() if row["up"] == up]
        assert all(len(row["at"]) == 20 for row in rows)
        return [
            row["id"] for row in sorted(rows, key=lambda row: str(row["at"])) if row["list"] == "l"
        ]

    for key, after in (("b", ""), ("a", ""), ("c", "b"), ("d", "a")):
        put(key, after)
    assert order() == ["a", "d", "b", "c"]
    put("x", around="m")
    put("u", up="a")
    with pytest.raises(BrokenReferenceError) as refused:
        put("e", "x")
    reference = Reference("at", "steps", "id")
    assert refused.value.broken == [(reference, "x")]
    for stranger in ("u", "e", "m/x"):
        with pytest.raises(BrokenReferenceError):
            put("e", stranger)
    row = made.find(ORDERED, ["l", "a"])
    made.update(ORDERED, row, made.with_position(ORDERED, row, "c"))
    assert (order(), order("a")) == (["d", "b", "c", "a"], ["u"])
    plain = Collection(name="plain")
    assert made.with_position(plain, row, "z") == row


def test_a_row_names_another_by_a_field_that_is_no_key() -> None:
    lines = Collection(name="lines", references=(Reference("flight", "flights", "number"),))
    made = Changes(Schema([schema()["flights"], lines]), Plain())
    made.insert(made.schema["flights"], {"id": "F1", "number": "N1"})
    made.insert(lines, {"id": "a", "flight": "N1"})
    with pytest.raises(BrokenReferenceError):
        made.insert(lines, {"id": "b", "flight": "F1"})


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ({"key": "k", "parents": (Parent("k"),)}, "would hold the key and a row around it"),
        ({"parents": (Parent("k"), Parent("k"))}, "would hold a row around it"),
        (
            {"created": "t", "versions": (Version("t", "number"),)},
            "would hold a time and a version",
        ),
        ({"created": "t", "defaults": {"t": "x"}}, "holds a time, and has a default"),
        ({"fields": frozenset({"a"}), "filters": ("b",)}, "filter 'b' is a field that the schema"),
        ({"fields": frozenset({"a"}), "orders": ("b",)}, "order 'b' is a field that the schema"),
        ({"fields": frozenset({"a"}), "searched": ("b",)}, "searched field 'b' is a field"),
        ({"fields": frozenset({"a"}), "unique": (("a", "b"),)}, "unique field 'b' is a field"),
        ({"fields": frozenset(), "references": (Reference("f", "x", "id"),)}, "reference 'f' is a"),
    ],
)
def test_a_collection_that_contradicts_itself_is_refused(words: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=f"^rows: .*{text}"):
        Collection(name="rows", **words)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ({"parents": (Parent("p", "others"),)}, "no collection 'others' around it"),
        ({"parents": (Parent("p", "rows"),)}, "is inside of itself"),
        ({"references": (Reference("r", "others", "id"),)}, "refers to no collection 'others'"),
        ({"references": (Reference("r", "rows", "x"),)}, "which is neither the key of 'rows' nor"),
    ],
)
def test_collections_that_contradict_each_other_are_refused(
    words: dict[str, Any], text: str
) -> None:
    with pytest.raises(ValueError, match=f"^rows: .*{text}"):
        Schema([Collection(name="rows", **words)])


def test_names_that_are_paths_are_keys_of_their_own() -> None:
    topics = Collection(
        name="topics", key="name", versions=(Version("etag"),),
    )  # fmt: skip
    made = Changes(Schema([topics]), Plain())
    row = made.insert(topics, made.new_row(topics, {"name": "projects/p/topics/t"}))
    assert topics.key_of(row) == "projects/p/topics/t"
    assert row["etag"] == topics.version_of(row) == topics.version_of({**row, "etag": "old"})


# --- laws ---

KEYS = st.sampled_from("abc")
ON_DELETE = st.sampled_from(["keep", "refuse", "cascade", "clear"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "remove"]), KEYS, KEYS | st.none(), KEYS | st.none()),
    max_size=20,
)


@given(ON_DELETE, STEPS)
def test_what_must_hold_holds_after_any_changes(on_delete: OnDelete, steps: list[Any]) -> None:
    rows = Collection(
        name="rows",
        unique=(("u",),),
        references=(Reference("r", "rows", "id", on_delete),),
        versions=(Version("rev", "number"),),
    )
    made = Changes(Schema([rows]), Plain())
    table = made.tables.table("rows")
    for what, key, unique, named in steps:
        before = content(made)
        body = {"id": key, **({"u": unique} if unique else {}), **({"r": named} if named else {})}
        own = table.get(key)
        try:
            if what == "remove":
                made.remove(rows, made.find(rows, [key]))
            elif own is None:
                row = made.insert(rows, made.new_row(rows, body))
                if row.get("r") != key:
                    after = content(made)
                    made.remove(rows, row)
                    assert content(made) == before
                    made.insert(rows, row)
                    assert content(made) == after
            else:
                made.replace(rows, own, body)
        except RefusedError:
            assert content(made) == before
        found = list(table.rows().values())
        values = [as_text(row["u"]) for row in found if row.get("u")]
        assert len(values) == len(set(values))
        if on_delete != "keep":
            assert {row["r"] for row in found if row.get("r")} <= set(table.rows())


def test_a_row_that_refuses_to_lose_what_it_is_in_goes_with_all_around_it() -> None:
    around = Collection(name="around")
    inside = Collection(name="inside", parents=(Parent("a", "around"),))
    held = Collection(name="held", parents=(Parent("a", "around"), Parent("i", "inside", "refuse")))
    made = Changes(Schema([around, inside, held]), Plain())
    for each, key, parents in (around, "x", ()), (inside, "y", ("x",)), (held, "z", ("x", "y")):
        made.insert(each, made.new_row(each, {"id": key}, parents))
    before = content(made)
    with pytest.raises(ReferencedError):
        made.remove(inside, made.find(inside, ["x", "y"]))
    assert content(made) == before
    made.remove(around, made.find(around, ["x"]))
    assert content(made) == {}
