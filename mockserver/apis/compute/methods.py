"""Methods of Compute Engine: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.compute.aggregated import OF_LISTS
from mockserver.apis.compute.changes import OF_CHANGES
from mockserver.apis.compute.groups import OF_GROUPS
from mockserver.apis.compute.instances import OF_INSTANCES
from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {**OF_CHANGES, **OF_INSTANCES, **OF_GROUPS, **OF_LISTS}
