"""Methods of Google's OAuth 2.0 endpoints: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {}
