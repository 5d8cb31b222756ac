"""What all Google APIs of one customer share: the customer's ids, and the org unit tree."""

from dataclasses import dataclass

from mockserver.collections import Store
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


@dataclass(frozen=True)
class OrgTree:
    """The org units of a tenant, indexed.

    Attributes:
        root: Bare id of the root, `03ph8a2z...`.
        by_id: Bare id to org unit (Directory shape).
        by_path: Case-folded path (`/`, `/eng/sub team`) to bare id.
        children: Bare id to the bare ids right below it, sorted by path.
    """

    root: str
    by_id: dict[str, JsonObject]
    by_path: dict[str, str]
    children: dict[str, tuple[str, ...]]

    def find(self, name: str) -> str | None:
        """The bare id that `id:03...`, `03...`, `/Eng`, `Eng` or `/` means, or None."""
        if name.startswith("id:"):
            name = name[3:]
        if name in self.by_id:
            return name
        path = "/" + name.strip("/")
        return self.by_path.get(path.casefold())

    def ancestors(self, bare_id: str) -> tuple[str, ...]:
        """The unit itself, its parent, and so on up to the root."""
        chain = []
        current: str | None = bare_id
        while current is not None and current in self.by_id and current not in chain:
            chain.append(current)
            parent = self.by_id[current].get("parentOrgUnitId", "")
            current = parent.removeprefix("id:") or None
        return tuple(chain)

    def below(self, bare_id: str) -> tuple[str, ...]:
        """All units below this one, parents before children."""
        found: list[str] = []
        waiting = list(self.children.get(bare_id, ()))
        while waiting:
            unit = waiting.pop(0)
            found.append(unit)
            waiting[:0] = self.children.get(unit, ())
        return tuple(found)


def org_tree(world: World) -> OrgTree:
    """The session's org unit tree, as it is after all its writes."""
    return world.table(ORG_UNITS).derived(_build_tree)


def _build_tree(table: Store) -> OrgTree:
    by_id = dict(table.rows())
    root = next((key for key, unit in by_id.items() if unit.get("orgUnitPath") == "/"), "")
    children: dict[str, list[str]] = {}
    for key, unit in by_id.items():
        if key != root:
            children.setdefault(unit.get("parentOrgUnitId", "").removeprefix("id:"), []).append(key)
    return OrgTree(
        root=root,
        by_id=by_id,
        by_path={str(unit["orgUnitPath"]).casefold(): key for key, unit in by_id.items()},
        children={
            parent: tuple(sorted(keys, key=lambda key: str(by_id[key]["orgUnitPath"])))
            for parent, keys in children.items()
        },
    )
