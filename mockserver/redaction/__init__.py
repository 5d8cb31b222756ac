"""Replaces secrets by pseudonyms of the same shape, and finds those that are left; pure."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.redaction.credentials import CREDENTIAL_FIELDS
    from mockserver.redaction.leaks import Gate, Leak, find_leaks
    from mockserver.redaction.redactor import Redactor
    from mockserver.redaction.reserved import generalise, pseudonyms_in
    from mockserver.redaction.rule import Rule, normalised
    from mockserver.redaction.rules import RuleSet, parsed_rules
    from mockserver.redaction.seen import Secret, Seen, sealed_map, unsealed

_WHERE = {
    "CREDENTIAL_FIELDS": "credentials",
    "Gate": "leaks",
    "Leak": "leaks",
    "Redactor": "redactor",
    "Rule": "rule",
    "RuleSet": "rules",
    "Secret": "seen",
    "Seen": "seen",
    "find_leaks": "leaks",
    "generalise": "reserved",
    "normalised": "rule",
    "parsed_rules": "rules",
    "pseudonyms_in": "reserved",
    "sealed_map": "seen",
    "unsealed": "seen",
}
"""Each is loaded by its first use: RE2 and the index are none of a server's that answers."""


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


__all__ = [
    "CREDENTIAL_FIELDS",
    "Gate",
    "Leak",
    "Redactor",
    "Rule",
    "RuleSet",
    "Secret",
    "Seen",
    "find_leaks",
    "generalise",
    "normalised",
    "parsed_rules",
    "pseudonyms_in",
    "sealed_map",
    "unsealed",
]
