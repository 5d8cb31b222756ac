from harness.model import (
    Event,
    ExpectedRow,
    Milestone,
    Milestones,
    Minefield,
    Minefields,
    ServerState,
    StateEvent,
    TextContains,
    asked_collections,
)
from tests.harness.records import case


def test_the_collections_that_expectations_look_into_are_asked_for_once() -> None:
    rows = (ExpectedRow(collection="orgUnits"), ExpectedRow(collection="users"))
    there = StateEvent(collection="users")
    asking = case(
        TextContains(needles=("a1",)),
        ServerState(rows=rows),
        Milestones(milestones=(Milestone(name="m", state=there),)),
        Minefields(
            mines=(
                Minefield(state=StateEvent(collection="groups")),
                Minefield.model_validate({"call": "x"}),
            )
        ),
    )
    assert asked_collections(asking) == ("orgUnits", "users", "groups")
    assert Event(state=there).at_the_end
