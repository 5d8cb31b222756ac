"""Replaces secrets by pseudonyms of the same shape, and finds those that are left; pure."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.redaction.default_rules import CREDENTIAL_FIELDS
    from mockserver.redaction.leaks import Leak, LeakGate, find_leaks
    from mockserver.redaction.redactor import Redactor
    from mockserver.redaction.reserved_values import find_pseudonyms, generalise_pseudonyms
    from mockserver.redaction.rule import Rule, normalised_name
    from mockserver.redaction.rules import RuleSet, parse_rules
    from mockserver.redaction.screen import Question, RestoringScreen, Screen, questions_of
    from mockserver.redaction.seen_secrets import Secret, SeenSecrets, seal_secrets, unseal_secrets

_WHERE = {
    "CREDENTIAL_FIELDS": "default_rules",
    "LeakGate": "leaks",
    "Leak": "leaks",
    "Question": "screen",
    "Redactor": "redactor",
    "RestoringScreen": "screen",
    "Rule": "rule",
    "RuleSet": "rules",
    "Screen": "screen",
    "Secret": "seen_secrets",
    "SeenSecrets": "seen_secrets",
    "find_leaks": "leaks",
    "generalise_pseudonyms": "reserved_values",
    "normalised_name": "rule",
    "parse_rules": "rules",
    "find_pseudonyms": "reserved_values",
    "questions_of": "screen",
    "seal_secrets": "seen_secrets",
    "unseal_secrets": "seen_secrets",
}
"""Each is loaded by its first use: RE2 and the index are none of a server's that answers."""


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


__all__ = [
    "CREDENTIAL_FIELDS",
    "Leak",
    "LeakGate",
    "Question",
    "Redactor",
    "RestoringScreen",
    "Rule",
    "RuleSet",
    "Screen",
    "Secret",
    "SeenSecrets",
    "find_leaks",
    "find_pseudonyms",
    "generalise_pseudonyms",
    "normalised_name",
    "parse_rules",
    "questions_of",
    "seal_secrets",
    "unseal_secrets",
]
