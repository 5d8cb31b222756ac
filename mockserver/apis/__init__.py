"""The emulated APIs, one folder each. To add one: write its folder, add its line here.

Those of plug-ins (`understudy.apis`) come after ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.apis.administration import API as ADMINISTRATION
from mockserver.apis.administration import NEWER_API as ADMINISTRATION_NEWER
from mockserver.apis.apphub import API as APPHUB
from mockserver.apis.bigquery import API as BIGQUERY
from mockserver.apis.calendar import API as CALENDAR
from mockserver.apis.calendar import LISTS as CALENDAR_LISTS
from mockserver.apis.chat import API as CHAT
from mockserver.apis.chat import LISTS as CHAT_LISTS
from mockserver.apis.chromemanagement import API as CHROMEMANAGEMENT
from mockserver.apis.chromemanagement import LEGACY_API as CHROMEMANAGEMENT_LEGACY
from mockserver.apis.chromepolicy import API as CHROMEPOLICY
from mockserver.apis.cloudasset import API as CLOUDASSET
from mockserver.apis.cloudidentity import API as CLOUDIDENTITY
from mockserver.apis.cloudkms import API as CLOUDKMS
from mockserver.apis.cloudscheduler import API as CLOUDSCHEDULER
from mockserver.apis.cloudtasks import API as CLOUDTASKS
from mockserver.apis.cloudtrace import API as CLOUDTRACE
from mockserver.apis.compute import API as COMPUTE
from mockserver.apis.container import API as CONTAINER
from mockserver.apis.directory import API as DIRECTORY
from mockserver.apis.discovery import API as DISCOVERY
from mockserver.apis.dns import API as DNS
from mockserver.apis.docs import API as DOCS
from mockserver.apis.drive import API as DRIVE
from mockserver.apis.drive import LISTS as DRIVE_LISTS
from mockserver.apis.drive import OLD_API as DRIVE_V2
from mockserver.apis.errorreporting import API as ERRORREPORTING
from mockserver.apis.firestore import API as FIRESTORE
from mockserver.apis.forms import API as FORMS
from mockserver.apis.generic import API as GENERIC
from mockserver.apis.generic import ROOMS
from mockserver.apis.gmail import API as GMAIL
from mockserver.apis.iam import KEYS_API as IAM_KEYS
from mockserver.apis.iam import ROLES_API as IAM_ROLES
from mockserver.apis.iamcredentials import API as IAMCREDENTIALS
from mockserver.apis.keep import API as KEEP
from mockserver.apis.keep import LISTS as KEEP_LISTS
from mockserver.apis.logging import API as LOGGING
from mockserver.apis.mcp import API as MCP
from mockserver.apis.meet import API as MEET
from mockserver.apis.monitoring import API as MONITORING
from mockserver.apis.oauth import API as OAUTH
from mockserver.apis.observability import API as OBSERVABILITY
from mockserver.apis.people import API as PEOPLE
from mockserver.apis.pubsub import API as PUBSUB
from mockserver.apis.reports import API as REPORTS
from mockserver.apis.resourcemanager import API as RESOURCEMANAGER
from mockserver.apis.run import API as RUN
from mockserver.apis.secretmanager import API as SECRETMANAGER
from mockserver.apis.serviceusage import API as SERVICEUSAGE
from mockserver.apis.sheets import API as SHEETS
from mockserver.apis.slides import API as SLIDES
from mockserver.apis.sqladmin import API as SQLADMIN
from mockserver.apis.storage import API as STORAGE
from mockserver.apis.sts import API as STS
from mockserver.apis.tasks import API as TASKS
from mockserver.apis.tools import API as TOOLS
from mockserver.googleapi import Api
from mockserver.plugins import Table, TableValues, of_kind

_OWN: tuple[Api, ...] = (
    DIRECTORY,
    REPORTS,
    CHROMEPOLICY,
    CLOUDIDENTITY,
    CHROMEMANAGEMENT,
    CHROMEMANAGEMENT_LEGACY,
    RESOURCEMANAGER,
    ADMINISTRATION,
    ADMINISTRATION_NEWER,
    GENERIC,
    APPHUB,
    OBSERVABILITY,
    COMPUTE,
    CONTAINER,
    DNS,
    SQLADMIN,
    RUN,
    CLOUDASSET,
    GMAIL,
    SHEETS,
    DRIVE,
    DRIVE_V2,
    CALENDAR,
    DOCS,
    SLIDES,
    FORMS,
    CHAT,
    KEEP,
    MEET,
    PEOPLE,
    STORAGE,
    PUBSUB,
    BIGQUERY,
    SECRETMANAGER,
    CLOUDKMS,
    CLOUDTASKS,
    CLOUDSCHEDULER,
    IAM_KEYS,
    IAM_ROLES,
    SERVICEUSAGE,
    TASKS,
    FIRESTORE,
    OAUTH,
    STS,
    IAMCREDENTIALS,
    DISCOVERY,
    TOOLS,
    MCP,
    LOGGING,
    ERRORREPORTING,
    CLOUDTRACE,
    MONITORING,
)

ROOMS.update(calendar=CALENDAR_LISTS, chat=CHAT_LISTS, drive=DRIVE_LISTS, keep=lambda: KEEP_LISTS)


def _accept(name: str, provided: Any) -> Api:
    """The API of a plug-in; what every server asks of it is asked now."""
    from mockserver.googleapi import parse_document

    api = of_kind(provided, Api, "mockserver.googleapi.Api")
    if api.name != name:
        raise ValueError(f"the API is called {api.name!r}, and the entry point {name!r}")
    if not isinstance(api.handlers, Mapping):
        raise TypeError(f"its handlers are of type {type(api.handlers).__name__}, and no mapping")
    owners = {item.name: each.name for each in _OWN for item in each.collections}
    for item in api.collections:
        if item.name in owners:
            raise ValueError(f"the collection {item.name!r} is one of {owners[item.name]!r}")
    for document in api.supplements:
        try:
            parse_document(document)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"a supplement is no Discovery document: {error!r}") from error
    return api


TABLE: Table[Api] = Table("understudy.apis", {each.name: each for each in _OWN}, _accept)
APIS: Sequence[Api] = TableValues(TABLE)
"""In the order in which they read a snapshot, and are asked for a method."""

__all__ = ["APIS", "TABLE"]
