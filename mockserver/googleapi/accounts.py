"""Users and groups of the Directory as calls of every API name them, and who is not there."""

from mockserver.googleapi.errors import ApiError, not_found
from mockserver.googleapi.names import nearest
from mockserver.model import JsonObject
from mockserver.state import (
    GROUP_NAMES,
    GROUPS,
    USER_NAMES,
    USERS,
    World,
    find_group,
    find_user,
)


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
