"""What templates may speak of: the session's state, its clock, ids, and made-up values."""

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import Any

from typing_extensions import override

from mockserver.errors import require_extra
from mockserver.model import JsonObject
from mockserver.state import World, rfc3339
from mockserver.templates.engine import TemplateError

FAKES: Mapping[str, str] = {
    "address": "street_address",
    "city": "city",
    "color": "color_name",
    "company": "company",
    "country": "country",
    "currency": "currency_code",
    "date": "date",
    "email": "safe_email",
    "first_name": "first_name",
    "iban": "iban",
    "integer": "random_int",
    "job": "job",
    "last_name": "last_name",
    "name": "name",
    "paragraph": "paragraph",
    "phone": "phone_number",
    "postcode": "postcode",
    "sentence": "sentence",
    "time": "time",
    "url": "url",
    "user_name": "user_name",
    "uuid": "uuid4",
    "word": "word",
}
"""What `fake` has, and the provider of the package `faker` that makes it up."""

MOST_NUMBERS = 2_000_000
"""Numbers of vectors that one search may pass."""

_LARGEST = 1e100
_FAKER = Lock()


class StateView(Mapping[str, Any]):
    """The collections of a session, to read: `state.users`, `state.travel.bookings.B1.status`.

    Args:
        world: What the session holds.
        prefix: What stands before the names of the collections in here, with its dot.
    """

    def __init__(self, world: World, prefix: str = "") -> None:
        self._world = world
        self._prefix = prefix

    @override
    def __getitem__(self, name: str) -> Any:
        full = f"{self._prefix}{name}"
        names = set(self._world.names())
        if full in names:
            return self._world.table(full).rows()
        if any(each.startswith(f"{full}.") for each in names):
            return StateView(self._world, f"{full}.")
        raise KeyError(name)

    @override
    def __iter__(self) -> Iterator[str]:
        inside = (name for name in self._world.names() if name.startswith(self._prefix))
        return iter(sorted({name[len(self._prefix) :].partition(".")[0] for name in inside}))

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)


class Fakes:
    """Made-up names, addresses and the like; the same ones for the same seed and place.

    Args:
        seed: What they follow from.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._made = 0

    def __getattr__(self, name: str) -> Any:
        provider = FAKES.get(name)
        if provider is None:
            if name.startswith("_"):
                raise AttributeError(name)
            raise TemplateError(f"there is no fake.{name}; there are {', '.join(FAKES)}")
        self._made += 1
        digest = blake2b(f"{self._seed}/{self._made}/{name}".encode(), digest_size=8).digest()
        with _FAKER:
            faker = _faker()
            faker.seed_instance(int.from_bytes(digest))
            found = getattr(faker, provider)()
        return found if isinstance(found, int) else str(found)


@lru_cache(1)
def _faker() -> Any:
    require_extra("fake", "fake needs", {"faker": "faker"})
    from faker import Faker

    return Faker("en_US")


def nearest(
    rows: object, vector: object, limit: object = 10, field: str = "vector"
) -> list[JsonObject]:
    """The rows whose vectors are nearest to one, as a vector database finds them.

    Args:
        rows: Rows, or a mapping to them; those without a vector are passed over.
        vector: Numbers.
        limit: How many are found at most; 10 for None.
        field: Where a row has its vector.

    Returns:
        Rows without their vectors, with the cosine as `score`; the nearest first, of equals the
        first.

    >>> nearest([{"id": 1, "vector": [1, 0]}, {"id": 2, "vector": [3, 4]}], [0, 1])
    [{'id': 2, 'score': 0.8}, {'id': 1, 'score': 0.0}]

    Raises:
        TemplateError: The vector has other numbers than those of the rows, or it is too much work.
    """
    wanted = _numbers(vector, "the vector")
    limit = 10 if limit is None else limit
    if type(limit) is not int or limit < 0:
        raise TemplateError(f"nearest: the limit is no number: {limit!r}")
    values = rows.values() if isinstance(rows, Mapping) else rows
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise TemplateError("nearest: expected rows")
    found: list[JsonObject] = []
    for number, row in enumerate(values):
        if not isinstance(row, Mapping) or row.get(field) is None:
            continue
        if (number + 1) * len(wanted) > MOST_NUMBERS:
            raise TemplateError(f"nearest: it takes more than {MOST_NUMBERS} numbers")
        own = _numbers(row[field], f"the {field} of row {number}")
        if len(own) != len(wanted):
            raise TemplateError(
                f"nearest: the vector has {len(wanted)} numbers, the {field} of row {number}"
                f" has {len(own)}"
            )
        rest = {name: value for name, value in row.items() if name != field}
        found.append({**rest, "score": _cosine(own, wanted)})
    return sorted(found, key=lambda row: -row["score"])[:limit]


nearest.is_for_templates = True  # type: ignore[attr-defined]


def _numbers(value: object, name: str) -> list[float]:
    if not isinstance(value, list | tuple):
        raise TemplateError(f"nearest: {name} is no list of numbers")
    if not all(isinstance(each, int | float) and abs(each) < _LARGEST for each in value):
        raise TemplateError(f"nearest: {name} is no list of numbers")
    return [float(each) for each in value]


def _cosine(a: list[float], b: list[float]) -> float:
    length = math.hypot(*a) * math.hypot(*b)
    return round(sum(map(operator.mul, a, b)) / length, 6) if length else 0.0


def session_values(world: World, place: str, number: int) -> dict[str, Any]:
    """What every template may speak of, whatever it answers.

    Args:
        world: What the session holds.
        place: What is answered: two places get different made-up values.
        number: How often it was asked, from 1.

    Returns:
        `state` (collections by name, rows by key), `now` (a function: the session's time as RFC
        3339, moved by `days`, `hours`, `minutes` and `seconds`, or in a `format` of strftime),
        `uuid` (a function: an id from the session's seed), `seq` (the number), `session` (with the
        `id`), `nearest` (a function, see there), and `fake`.
    """

    def now(
        *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0,
        format: str = "",
    ) -> str:  # fmt: skip
        step = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        moment = world.clock.now() + step
        return moment.strftime(format) if format else rfc3339(moment)

    def uuid() -> str:
        return world.ids.uuid(place)

    for function in (now, uuid):
        function.is_for_templates = True  # type: ignore[attr-defined]
    session: JsonObject = {"id": world.session}
    return {
        "state": StateView(world),
        "now": now,
        "uuid": uuid,
        "nearest": nearest,
        "seq": number,
        "session": session,
        "fake": Fakes(f"{world.ids.seed}/{place}/{number}"),
    }
