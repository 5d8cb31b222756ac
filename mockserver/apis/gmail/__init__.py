"""Emulates mailboxes of the Gmail API: what is in them, and sending."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_import

SENT = "sentMessages"
COLLECTIONS = (Collection(SENT, "messages that Gmail has sent", times=(("sentTime",),)),)
MAIL = "gmail:v1/messages"
"""Table of what a snapshot's `resources` put into mailboxes, and of what was inserted there."""

LABELS = "gmail:v1/labels"
"""Where a session has the names of labels that it was given."""

API = Api(
    name="gmail",
    documents=(("gmail", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS, "resources"),
    dialect="legacy",
    reads=frozenset({MAIL, LABELS}),
)
