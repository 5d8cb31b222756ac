"""Names: of resources and their patterns, of users and groups, and the nearest that is there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from mockserver.collections import BY_KEY, Index, Store
from mockserver.googleapi.errors import ApiError, not_found, permission_denied
from mockserver.model import JsonObject
from mockserver.state import (
    GROUP_NAMES,
    GROUPS,
    USER_NAMES,
    USERS,
    World,
    customer_id,
    find_group,
    find_user,
    is_customer,
)

WILDCARD = "-"
"""Stands for every id, in the parent of a list."""


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A resource name's pattern: literal segments, and `{variables}` of one segment each.

    Attributes:
        segments: Literal texts, and variables in their braces.
    """

    segments: tuple[str, ...]

    def captures(self, name: str) -> Mapping[str, str] | None:
        """The variables of a name, or None when it is not of this pattern.

        >>> name_pattern("projects/{project}/logs/{log}").captures("projects/p/logs/l")
        {'project': 'p', 'log': 'l'}
        """
        given = name.split("/")
        if len(given) != len(self.segments):
            return None
        found: dict[str, str] = {}
        for segment, text in zip(self.segments, given, strict=True):
            if segment.startswith("{"):
                if not text:
                    return None
                found[segment[1:-1]] = text
            elif segment != text:
                return None
        return found

    def filled(self, values: Mapping[str, object]) -> str:
        """The name whose variables have these values; `-` where there is none.

        >>> name_pattern("lists/{list}/tasks/{task}").filled({"list": "l", "task": 7})
        'lists/l/tasks/7'
        """
        given = ((each, values.get(each[1:-1], WILDCARD)) for each in self.segments)
        return "/".join(str(value) if each.startswith("{") else each for each, value in given)

    def name(self, parent: str, last: str) -> str:
        """The name that has this last id under a parent.

        >>> name_pattern("projects/{project}/logs/{log}").name("projects/p", "l")
        'projects/p/logs/l'
        """
        middle = self.segments[len(parent.split("/")) if parent else 0 : -1]
        return "/".join([*([parent] if parent else ()), *middle, last])

    def parent(self) -> str:
        """The pattern's text without its last collection and id.

        >>> name_pattern("projects/{project}/logs/{log}").parent()
        'projects/{project}'
        """
        return "/".join(self.segments[:-2])


@lru_cache(1024)
def name_pattern(text: str) -> NamePattern:
    """Read a pattern."""
    return NamePattern(tuple(text.split("/")))


def parent_of(name: str, depth: int) -> str:
    """A name without its last `depth` segments.

    >>> parent_of("projects/p/logs/l", 2), parent_of("projects/p", 2)
    ('projects/p', '')
    """
    return "/".join(name.split("/")[:-depth])


def is_under(wanted: str, parent: str) -> bool:
    """Whether a parent is the wanted one, where `-` is every id.

    >>> is_under("projects/p/locations/-", "projects/p/locations/eu")
    True
    """
    if wanted == parent:
        return True
    sides = wanted.split("/"), parent.split("/")
    return len(sides[0]) == len(sides[1]) and all(
        one in {WILDCARD, other} for one, other in zip(*sides, strict=True)
    )


def own_customer(world: World, name: str) -> str:
    """The session's customer as a resource name, when that is what a request names.

    Args:
        world: The session's world.
        name: `customers/my_customer` or `customers/C...`.

    Returns:
        `customers/C...`; the alias is never in an answer.

    Raises:
        ApiError: 403; another customer. Not verified against the live API.
    """
    if not is_customer(world, name.removeprefix("customers/")):
        raise permission_denied()
    return f"customers/{customer_id(world)}"


_LONGEST = 500
_COMPARED = 2000
"""A longer name is like none, and more names are not compared."""


def nearest(name: str, known: Iterable[str] | Store, index: Index = BY_KEY, field: str = "") -> str:
    """The known name that is most like an unknown one, or an empty string.

    Args:
        name: The unknown name.
        known: The names, or a collection of what they name.
        index: The names in a collection, in lower case unless they are its keys.
        field: Where a row of a collection has the name that is told; as in the index when empty.

    >>> nearest("orgunits/03ph1", ["orgunits/03ph2", "groups/1"])
    'orgunits/03ph2'
    """
    if len(name) > _LONGEST:
        return ""
    names = _names_in(known, name, index, field) if isinstance(known, Store) else known
    found = get_close_matches(name, list(islice(names, _COMPARED)), n=1, cutoff=0.5)
    return found[0] if found else ""


def _names_in(table: Store, name: str, index: Index, field: str) -> Iterable[str]:
    entries = table.beside(name if index is BY_KEY else name.casefold(), index)
    if not field:
        return [entry[0] for entry in entries]
    return dict.fromkeys(str(row[field]) for row in table.rows_of(entries))


def require_user(world: World, key: str) -> JsonObject:
    """The user with this id, address or alias.

    Raises:
        ApiError: 404, with the nearest address.
    """
    found = find_user(world, key)
    if found is None:
        raise user_not_found(world, key)
    return found


def require_group(world: World, key: str) -> JsonObject:
    """The group with this id, address or alias.

    Raises:
        ApiError: 404, with the nearest address.
    """
    found = find_group(world, key)
    if found is None:
        near = nearest(key, world.table(GROUPS), GROUP_NAMES, "email")
        raise account_not_found("groupKey", key, near)
    return found


def user_not_found(world: World, key: str) -> ApiError:
    """404 for a user that is not there, with the nearest address."""
    near = nearest(key, world.table(USERS), USER_NAMES, "primaryEmail")
    return account_not_found("userKey", key, near)


def account_not_found(parameter: str, key: str, near: str) -> ApiError:
    """404 for an account that is not there, with the nearest one."""
    return not_found(f"Resource Not Found: {parameter}", name=key, nearest=near)
