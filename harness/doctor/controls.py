"""Control trials: a case without what it adds to the base, with canaries, in an empty world."""

from dataclasses import dataclass

from harness.doctor.canaries import canaries, replaced, world_of
from harness.model import Case, Fixtures, JsonObject


@dataclass(frozen=True, slots=True)
class Control:
    """A case in another world; what it expects is the same.

    Attributes:
        case: The case as it is run.
        layers: What is laid over its snapshot.
        changed: What was changed, value to canary; empty where something was taken away.
        only_faults: Whether nothing but faults was taken away.
    """

    case: Case
    layers: tuple[JsonObject, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    only_faults: bool = False


def on_base_alone(case: Case) -> Control | None:
    """A case without overrides, faults, files, workspace and recordings; None if it has none."""
    fixtures = case.fixtures
    added = any((fixtures.overrides, fixtures.files, fixtures.workspace, fixtures.cassettes))
    if not added and not fixtures.faults:
        return None
    bare = Fixtures(base=fixtures.base, clock=fixtures.clock, seed=fixtures.seed)
    return Control(case.model_copy(update={"fixtures": bare}), only_faults=not added)


def in_empty_world(case: Case, merged: JsonObject) -> Control | None:
    """A case in a world that holds nothing; None when its world holds nothing anyway."""
    if not merged:
        return None
    empty = Fixtures(base=False, clock=case.fixtures.clock, seed=case.fixtures.seed)
    moment = {name: merged[name] for name in ("capturedAt",) if name in merged}
    return Control(case.model_copy(update={"fixtures": empty}), (moment,) if moment else ())


def with_canaries(case: Case, merged: JsonObject, *, identifiers: bool = False) -> Control | None:
    """A case in whose world the values that it asks for are others; None when it asks for none.

    Args:
        case: The case.
        merged: Its snapshot.
        identifiers: Whether words of an API stay, for a world that has no others in their place.
    """
    world = world_of(case, merged)
    values = canaries(case, world, identifiers=identifiers)
    if not values:
        return None
    changed = replaced(world, values)
    fixtures = case.fixtures.model_copy(
        update={"overrides": (), "base": False, "workspace": changed["workspace"]}
    )
    request = None if case.request is None else changed["request"]
    return Control(
        case.model_copy(update={"fixtures": fixtures, "request": request}),
        (changed["snapshot"],),
        tuple(values.items()),
    )
