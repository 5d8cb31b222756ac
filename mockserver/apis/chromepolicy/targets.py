"""What a policy value applies to: an org unit or a group, narrowed by additional keys."""

from collections.abc import Mapping
from dataclasses import dataclass

from mockserver.googleapi import bad_fields, nearest, not_found
from mockserver.model import JsonObject
from mockserver.state import World, org_tree

Keys = tuple[tuple[str, str], ...]
"""Additional target keys, sorted by name."""

KINDS: Mapping[str, str] = {"orgunits": "ORG_UNIT", "groups": "GROUP"}
"""First part of a target resource to what a schema calls that kind of target."""


@dataclass(frozen=True)
class Target:
    """A target of policy values.

    Attributes:
        kind: `orgunits` or `groups`.
        id: The bare id.
        keys: The additional target keys.
    """

    kind: str
    id: str
    keys: Keys = ()

    @property
    def resource(self) -> str:
        """`orgunits/03...` or `groups/...`."""
        return f"{self.kind}/{self.id}"


def key_of(resource: str, keys: Keys = ()) -> JsonObject:
    """A `PolicyTargetKey` as the API writes it."""
    if not keys:
        return {"targetResource": resource}
    return {"targetResource": resource, "additionalTargetKeys": dict(keys)}


def read_target(key: JsonObject | None, field: str) -> Target:
    """The target that a `PolicyTargetKey` names, whether or not there is such a thing.

    Raises:
        ApiError: 400; there is no target resource, or it is neither an org unit nor a group.
    """
    resource = (key or {}).get("targetResource", "")
    kind, _, name = resource.partition("/")
    if not resource:
        text = "The target resource is required."
        raise bad_fields([(f"{field}.target_resource", text)])
    if kind not in KINDS or not name or "/" in name:
        text = f"Target resource '{resource}' must be of type 'orgunits' or 'groups'."
        raise bad_fields([(f"{field}.target_resource", text)])
    extra = (key or {}).get("additionalTargetKeys") or {}
    return Target(kind, name, tuple(sorted((name, str(value)) for name, value in extra.items())))


def find_target(world: World, target: Target) -> None:
    """Make sure that a target is there.

    Raises:
        ApiError: 404; the session has no such org unit or group.
    """
    if target.kind == "orgunits":
        known = org_tree(world).by_id
    else:
        known = dict(world.table("groups").rows())
    if target.id not in known:
        near = nearest(target.id, known)
        raise not_found(asked=target.resource, nearest=near and f"{target.kind}/{near}")
