"""What is made can be read, listed, changed and deleted once, in every writable collection."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conformance.collections import NOT_HERE, WRITABLE, Params, Writable
from tests.conformance.emulated import METHODS, Answer, Asked, Emulation, Opened

TEXTS = st.from_regex(r"[A-Z][a-z]{4,9}( [a-z0-9]{1,5})?", fullmatch=True)


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> Emulation:
    return Emulation(tmp_path_factory.mktemp("collections") / "suite")


class Collection:
    """A collection in one session, asked by verb."""

    def __init__(self, world: Opened, writable: Writable, ident: str, text: str) -> None:
        self._world = world
        self._writable = writable
        self._chosen = {"{id}": ident, "{text}": text}

    def has(self, verb: str) -> bool:
        return self._id(verb) in METHODS

    def create(self) -> Answer:
        writable = self._writable
        verb = "create" if self.has("create") else "insert"
        return self._ask(verb, self._filled(writable.params), self._filled(writable.body))

    def get(self, row: Mapping[str, Any]) -> Answer:
        return self._ask("get", self._writable.read(row))

    def change(self, row: Mapping[str, Any], field: str, value: str) -> Answer:
        verb = next(each for each in ("patch", "update") if self.has(each))
        mask = "updateMask" in METHODS[self._id(verb)].parameters
        body = {field: value} if mask else {**row, field: value}
        params = {**self._writable.read(row), **({"updateMask": field} if mask else {})}
        return self._ask(verb, params, body)

    def delete(self, row: Mapping[str, Any]) -> Answer:
        return self._ask("delete", self._writable.read(row))

    def listed(self) -> list[Any]:
        writable = self._writable
        method = METHODS[self._id("list")]
        given = writable.params if writable.listed is None else writable.listed
        params = {name: value for name, value in given.items() if name in method.parameters}
        body = self._ask("list", params).body
        return next((value for value in body.values() if isinstance(value, list)), [])

    def _ask(self, verb: str, params: Params, body: Any = None) -> Answer:
        return self._world.ask(Asked(METHODS[self._id(verb)], params, body))

    def _id(self, verb: str) -> str:
        prefix, _, version = self._writable.where.partition(" ")
        return f"{prefix}.{verb} {version}"

    def _filled(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._filled(each) for name, each in value.items()}
        if isinstance(value, str):
            for placeholder, text in self._chosen.items():
                value = value.replace(placeholder, text)
        return value


def row_of(answer: Answer) -> dict[str, Any]:
    """The row that a write made; an operation that is done holds it."""
    assert answer.status == 200, answer.content.decode()
    body: dict[str, Any] = answer.body
    row = body["response"] if body.get("done") and "response" in body else body
    return {name: value for name, value in row.items() if name != "@type"}


def is_pending(answer: Answer) -> bool:
    """Whether a write answered an operation that is not done yet."""
    return "/operations/" in str(answer.body.get("name")) and not answer.body.get("done")


@pytest.mark.parametrize("writable", WRITABLE, ids=lambda writable: writable.where)
def test_a_row_is_made_read_listed_changed_and_deleted(
    writable: Writable, emulation: Emulation
) -> None:
    @settings(max_examples=4, database=None, suppress_health_check=list(HealthCheck))
    @given(writable.ids, TEXTS, TEXTS)
    def held(ident: str, text: str, other: str) -> None:
        with emulation.world() as world:
            collection = Collection(world, writable, ident, text)
            before = collection.listed()
            made = collection.create()
            (row,) = (each for each in collection.listed() if each not in before)
            assert is_pending(made) or row_of(made) == row
            if collection.has("get"):
                assert row_of(collection.get(row)) == row
            assert collection.create().status == writable.twice
            if writable.text:
                value = f"{other.split()[0]}@example.com" if "Email" in writable.text else other
                now = row_of(collection.get(row))  # its place may have changed, and so its etag
                changed = row_of(collection.change(now, writable.text, value))
                assert changed[writable.text] == value
                assert row_of(collection.get(row))[writable.text] == value
            assert collection.delete(row).status in {200, 204}
            if collection.has("get"):
                assert collection.get(row).status == writable.gone
            assert collection.delete(row).status >= 400 or writable.gone == 200

    held()


def collections() -> Iterator[str]:
    """Where something can be made.

    Yields:
        Ids without their verbs, with versions.
    """
    for name in METHODS:
        method, _, version = name.partition(" ")
        prefix, _, verb = method.rpartition(".")
        if verb in {"create", "insert"}:
            yield f"{prefix} {version}"


@pytest.mark.parametrize("where", list(collections()))
def test_every_collection_that_can_be_written_is_held(where: str) -> None:
    here = {writable.where for writable in WRITABLE}
    assert where in here or any(fnmatchcase(where, glob) for glob in NOT_HERE)
