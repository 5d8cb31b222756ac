"""Methods of the Cloud Identity Policy API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {}
