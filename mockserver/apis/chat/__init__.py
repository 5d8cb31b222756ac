"""Emulates Google Chat: spaces with members, messages in threads, reactions, what was read."""

from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

SPACES, MEMBERS, MESSAGES, REACTIONS, UPLOADS, READ_STATES = (
    f"chat:v1/{name}"
    for name in ("spaces", "members", "messages", "reactions", "uploads", "spaceReadState")
)
"""Tables, by the names of their rows."""

LISTS = lazy_attribute(__name__, "lists", "LISTS")

API = Api(
    name="chat",
    documents=(("chat", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
    relies=(
        "Rely on: spaces and who is in them, messages in threads, ids of the caller's own, "
        "mentions, attachments, reactions, what was read, searches; who is no member of a space "
        "is refused. A space of a fixture that tells no members is open to all. Not there: "
        "events for a Chat app. Proof: laws in `tests/mockserver/apis/test_workspace_laws.py`, "
        "`tests/mockserver/apis/chat`."
    ),
)
