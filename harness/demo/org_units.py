"""Finding the org unit that a question is about."""

import re
from dataclasses import dataclass

from harness.demo.google import JsonObject
from harness.demo.investigation import Investigation

_UNIT_WORDS = re.compile(r"\b(?:OU|org unit|organi[sz]ational unit)s?\b")


@dataclass(frozen=True)
class OrgUnits:
    """The org units of the tenant, by path and by id."""

    rows: tuple[JsonObject, ...]

    @property
    def root(self) -> JsonObject:
        """The root org unit."""
        return next(row for row in self.rows if row["path"] == "/")

    def path(self, identifier: str) -> str:
        """The path of a bare id or of `orgunits/<id>`; the id itself when it is not known."""
        name = identifier.rpartition("/")[2]
        return next((str(row["path"]) for row in self.rows if row["id"] == name), identifier)

    def parent(self, unit: JsonObject) -> JsonObject | None:
        """The org unit right above one."""
        return next((row for row in self.rows if row["path"] == unit["parent"]), None)

    def named_in(self, text: str) -> JsonObject | None:
        """The org unit that a text names, by path or by name; the deepest of several."""
        by_path = [row for row in self.rows if row["path"] != "/" and row["path"] in text]
        by_name = [row for row in self.rows if _named(row, text)]
        found = by_path or by_name
        return max(found, key=lambda row: str(row["path"]).count("/"), default=None)


def _named(row: JsonObject, text: str) -> bool:
    name = str(row["path"]).rpartition("/")[2]
    return bool(name) and re.search(rf"\b{re.escape(name)}\b", text) is not None


def read_org_units(case: Investigation) -> OrgUnits:
    """All org units of the tenant."""
    return OrgUnits(tuple(case.use("listOrgUnits")["orgUnits"]))


def speaks_of_org_unit(text: str) -> bool:
    """Whether a text means some org unit, known or not."""
    return _UNIT_WORDS.search(text) is not None
