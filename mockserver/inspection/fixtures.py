"""Which fields of a session's fixtures its answers held so far.

It is told from the journal when somebody asks: no request is counted while it is answered.
"""

from mockserver.errors import FormatError, InvalidFilesError, SessionError
from mockserver.messages.read_fields import ReadFields, WorldFields, recorded_results
from mockserver.model import JsonObject
from mockserver.sessions.session import Session
from mockserver.snapshots.resolver import SnapshotResolver

_TOOLS = "tools."
_MOST_UNREAD = 200


def fixture_fields(session: Session, worlds: SnapshotResolver) -> JsonObject:
    """The fields of the snapshot and of recorded tools, and which of them were in an answer.

    A field is read as reports of runs have it: an answer held one of its values, under the same key
    or as a text of at least four characters.

    Returns:
        `collections`: of each its `name`, how many `fields` it has, how many were `read`, and the
        first 200 that were not (`neverRead`), the least read first; `fields` and `read` of all;
        `neverCalled`: tools that were not asked; `warning`: why it is not the whole truth.
    """
    known, warnings = WorldFields(), []
    try:
        known.add_world(worlds.resolve(session.spec).raw)
    except (FormatError, InvalidFilesError, SessionError, FileNotFoundError) as error:
        warnings.append(f"the suite cannot be read any more: {error}")
    if session.replay is not None:
        known.add_world(recorded_results(session.replay.interactions))
    read, called = ReadFields(known), set()
    entries = session.journal.entries()
    for entry in entries:
        read.note_answer(entry.response.decode("utf-8", "replace"))
        if entry.method_id.startswith(_TOOLS):
            called.add(entry.method_id.removeprefix(_TOOLS))
    lost = sum(not entry.response and entry.response_bytes > 0 for entry in entries)
    if lost := lost + session.journal.evicted:
        warnings.append(f"the journal no longer has the answers of {lost} requests")
    found = []
    for name, paths in known.paths.items():
        unread = [path for path in paths if (name, path) not in read.places]
        if paths:
            found.append(
                {
                    "name": name,
                    "fields": len(paths),
                    "read": len(paths) - len(unread),
                    "neverRead": unread[:_MOST_UNREAD],
                }
            )
    return {
        "collections": sorted(found, key=lambda one: (one["read"] - one["fields"], one["name"])),
        "fields": sum(each["fields"] for each in found),
        "read": sum(each["read"] for each in found),
        "neverCalled": [name for name in known.tools if name not in called],
        "warning": "; ".join(warnings),
    }
