"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

SENT = "sentMessages"

COLLECTIONS = (Collection(SENT, "messages that Gmail has sent", times=(("sentTime",),)),)

MAIL = "gmail:v1/messages"
"""Table of what a snapshot's `resources` put into mailboxes, and of what was inserted there."""

LABELS = "gmail:v1/labels"
"""Where a session has the names of labels that it was given."""
