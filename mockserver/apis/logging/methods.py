"""Methods of Cloud Logging: Discovery id to handler."""

from collections.abc import Mapping
from typing import cast

from mockserver.apis.logging.buckets import bucket_handlers
from mockserver.apis.logging.descriptors import list_descriptors
from mockserver.apis.logging.reading import list_entries, list_logs
from mockserver.apis.logging.tailing import tail_entries
from mockserver.apis.logging.writing import delete_log, write_entries
from mockserver.googleapi import Handler

_OWNERS = ("", "projects.", "folders.", "organizations.", "billingAccounts.")
_BUCKET_OWNERS = ("projects.", "folders.", "organizations.", "billingAccounts.")

HANDLERS: Mapping[str, Handler] = {
    "logging.entries.list": list_entries,
    "logging.entries.write": write_entries,
    "logging.entries.tail": cast("Handler", tail_entries),
    "logging.monitoredResourceDescriptors.list": list_descriptors,
    **{f"logging.{owner}logs.list": list_logs for owner in _OWNERS},
    **{f"logging.{owner}logs.delete": delete_log for owner in _OWNERS},
    **{f"logging.{owner}locations.buckets.views.logs.list": list_logs for owner in _BUCKET_OWNERS},
    **bucket_handlers(),
}
