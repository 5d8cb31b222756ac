"""Emulates mailboxes of the Gmail API: what is in them, sending, drafts, history and settings."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

SENT = "sentMessages"
COLLECTIONS = (Collection(SENT, "messages that Gmail has sent", times=(("sentTime",),)),)
MAIL = "gmail:v1/messages"
"""Table of what a snapshot's `resources` put into mailboxes, and of what was inserted there."""

LABELS = "gmail:v1/labels"
"""Where a session has the names of labels that it was given."""

DRAFTS = "gmail:v1/drafts"
"""Table of the drafts that a snapshot's `resources` hold; here they are messages, as any others."""

FILTERS, DELEGATES, FORWARDING, SEND_AS = (
    f"gmail:v1/{name}" for name in ("filters", "delegates", "forwardingAddresses", "sendAs")
)
"""Tables of settings, by mailbox and id or address."""

SETTINGS = "gmail:v1/settings"
"""Table of the settings of which a mailbox has one each, by mailbox and name."""

API = Api(
    name="gmail",
    documents=(("gmail", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS, "resources"),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    dialect="legacy",
    reads=frozenset({MAIL, LABELS, DRAFTS, FILTERS, DELEGATES, FORWARDING, SEND_AS}),
    relies=(
        "Rely on: mails that arrive at the other users of a session, threads joined by their "
        "headers, drafts, labels with counts, attachments, history, filters, delegates, "
        "forwarding and vacation answers, and the search language over all of it. Not there: "
        "stars of a colour, muted conversations, IMAP and POP (who searches for what no mail "
        "tells gets a 501); days begin at midnight in UTC. Proof: "
        "`tests/clients/test_usual_calls.py`, tools of LangChain and ADK in "
        "`tests/clients/test_google_tools.py`, laws in "
        "`tests/mockserver/apis/test_workspace_laws.py`."
    ),
)
