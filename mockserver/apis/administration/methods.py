"""Methods of administrators: Discovery id to handler, in the two dialects of Google's errors."""

from collections.abc import Mapping

from mockserver.apis.administration.accounts import OF_ACCOUNTS
from mockserver.apis.administration.devices import OF_CLOUD_DEVICES, OF_DEVICES
from mockserver.apis.administration.directory import OF_DIRECTORY
from mockserver.apis.administration.roles import OF_ROLES
from mockserver.apis.administration.vault import OF_VAULT
from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {**OF_ROLES, **OF_ACCOUNTS, **OF_DIRECTORY, **OF_DEVICES}
NEWER_HANDLERS: Mapping[str, Handler] = {**OF_CLOUD_DEVICES, **OF_VAULT}
