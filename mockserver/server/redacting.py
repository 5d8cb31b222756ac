"""What takes the secrets out of requests before recordings are asked: as the captures did it."""

from collections.abc import Sequence

from mockserver.googleapi import Api
from mockserver.redaction import Redactor
from mockserver.server.settings import Settings
from mockserver.storage.redaction_key import redaction_key
from mockserver.storage.redaction_rules import redaction_rules

_WITHOUT_KEY = b"no key of a capture is at hand"
"""Pseudonyms made with it are like no capture's: recordings are then found by their kinds."""


def redactor_of(settings: Settings, apis: Sequence[Api]) -> Redactor:
    """A redactor with the key of this machine's captures, where there is one; never makes one.

    Args:
        settings: Names the user's own rules.
        apis: The emulated APIs; they know secrets of their own.

    Raises:
        MockServerError: The rules or the key cannot be read.
    """
    rules = redaction_rules(settings.redaction, settings.fixtures)
    return Redactor(rules, redaction_key(create=False) or _WITHOUT_KEY)
