"""What takes the secrets out of requests before recordings are asked: as the captures did it."""

from collections.abc import Sequence
from pathlib import Path

from mockserver.googleapi import Api
from mockserver.redaction import Redactor, RuleSet
from mockserver.server.settings import Settings
from mockserver.storage.redaction_key import redaction_key
from mockserver.storage.redaction_rules import redaction_rules

_WITHOUT_KEY = b"no key of a capture is at hand"
"""Pseudonyms made with it are like no capture's: recordings are then found by their kinds."""


def rules_of(file: Path | None, suite: Path | None, apis: Sequence[Api]) -> RuleSet:
    """The rules of captures and replays alike: the user's own, those of the APIs, the common ones.

    Args:
        file: The user's own; where none is named, those of the current folder and of the suite.
        suite: The folder of a suite, or None.
        apis: The emulated APIs; they know secrets of their own.

    Raises:
        FormatError: The user's rules cannot be read.
    """
    rules = redaction_rules(file, suite)
    named = {rule.name for rule in rules.rules}
    own = [rule for api in apis for rule in api.redaction() if rule.name not in named]
    return rules.extended(own)


def redactor_of(settings: Settings, apis: Sequence[Api]) -> Redactor:
    """A redactor with the key of this machine's captures, where there is one; never makes one.

    Args:
        settings: Names the user's own rules.
        apis: The emulated APIs.

    Raises:
        MockServerError: The rules or the key cannot be read.
    """
    rules = rules_of(settings.redaction, settings.fixtures, apis)
    return Redactor(rules, redaction_key(create=False) or _WITHOUT_KEY)
