"""Methods of the API Discovery Service: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {}
