"""Methods of the Admin SDK Reports API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {}
