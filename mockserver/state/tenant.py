"""What all Google APIs of one customer share: the customer's ids, and the org unit tree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mockserver.collections import LAST, Index, Store
from mockserver.model import JsonObject
from mockserver.state.world import (
    World,
)

ORG_UNITS = "orgUnits"
CUSTOMER = "customer"
MY_CUSTOMER = "my_customer"


def customer(world: World) -> JsonObject:
    """The customer (Directory shape: `id`, `customerDomain`, ...); empty when there is none."""
    rows = world.table(CUSTOMER).rows()
    return next(iter(rows.values()), {})


def customer_id(world: World) -> str:
    """The customer's real id, `C...`; `my_customer` stands for it in requests, never in answers."""
    return str(customer(world).get("id", "C00000000"))


def is_customer(world: World, name: str) -> bool:
    """Whether a name in a request (`my_customer`, `C...`) means this customer."""
    return name == MY_CUSTOMER or name == customer_id(world)


BY_PATH = Index(lambda _, unit: (str(unit["orgUnitPath"]).casefold(),))
"""Org units by path, in lower case."""

_BY_PARENT = Index(
    lambda _, unit: (
        (unit.get("parentOrgUnitId", "").removeprefix("id:"), str(unit["orgUnitPath"])),
    )
)


@dataclass(frozen=True, slots=True)
class OrgTree:
    """The org units of a tenant, as they are after all writes of the session.

    Attributes:
        units: The org units (Directory shape) by bare id, `03ph8a2z...`.
    """

    units: Store

    @property
    def root(self) -> str:
        """Bare id of the root."""
        return self.units.first(BY_PATH, "/") or ""

    @property
    def by_id(self) -> Mapping[str, JsonObject]:
        """Bare id to org unit."""
        return self.units.rows()

    def at_path(self, path: str) -> str | None:
        """The bare id of the unit with a path (`/`, `/Eng/sub team`) in any case, or None."""
        return self.units.last(BY_PATH, path.casefold())

    def children(self, bare_id: str) -> tuple[str, ...]:
        """The bare ids right below a unit, sorted by path."""
        found = self.units.between(_BY_PARENT, (bare_id,), (bare_id, LAST)).row_keys()
        root = "" if bare_id else self.root
        return tuple(key for key in found if key != root)

    def find(self, name: str) -> str | None:
        """The bare id that `id:03...`, `03...`, `/Eng`, `Eng` or `/` means, or None."""
        if name.startswith("id:"):
            name = name[3:]
        if self.units.get(name) is not None:
            return name
        return self.at_path("/" + name.strip("/"))

    def ancestors(self, bare_id: str) -> tuple[str, ...]:
        """The unit itself, its parent, and so on up to the root."""
        chain: dict[str, None] = {}
        current = bare_id
        while current not in chain and (unit := self.units.get(current)) is not None:
            chain[current] = None
            current = unit.get("parentOrgUnitId", "").removeprefix("id:")
        return tuple(chain)

    def below(self, bare_id: str) -> tuple[str, ...]:
        """All units below this one, parents before children."""
        children = self._all_children() if bare_id == self.root else self.children
        found: list[str] = []
        waiting = list(reversed(children(bare_id)))
        while waiting:
            unit = waiting.pop()
            found.append(unit)
            waiting += reversed(children(unit))
        return tuple(found)

    def _all_children(self) -> Callable[[str], Sequence[str]]:
        """`children`, for many units: of all of them in one pass."""
        found: dict[str, list[str]] = {}
        for (parent, _), _, key in self.units.ordered(_BY_PARENT).entries():
            found.setdefault(parent, []).append(key)
        return lambda bare_id: found.get(bare_id, ())


def org_tree(world: World) -> OrgTree:
    """The session's org unit tree, as it is after all its writes."""
    return OrgTree(world.table(ORG_UNITS))
