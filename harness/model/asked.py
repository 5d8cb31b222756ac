"""What of the server's state a case asks about."""

from harness.model.cases import Case
from harness.model.expectations import Expectation, ServerState
from harness.model.milestones import Event, Milestones, Minefields


def asked_collections(case: Case) -> tuple[str, ...]:
    """The collections that a case's expectations look into at the end, each once."""
    asked = (name for item in case.expect for name in _collections(item))
    return tuple(dict.fromkeys(asked))


def _collections(item: Expectation) -> list[str]:
    if isinstance(item, ServerState):
        return [row.collection for row in item.rows]
    events: tuple[Event, ...] = ()
    if isinstance(item, Milestones):
        events = item.milestones
    elif isinstance(item, Minefields):
        events = item.mines
    return [event.state.collection for event in events if event.state is not None]
