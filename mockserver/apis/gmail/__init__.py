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
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
    dialect="legacy",
    reads=frozenset({MAIL, LABELS, DRAFTS, FILTERS, DELEGATES, FORWARDING, SEND_AS}),
)
