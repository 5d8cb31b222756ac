"""Replaces secrets by pseudonyms of the same shape, and finds those that are left; pure."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.redaction.credentials import CREDENTIAL_FIELDS
    from mockserver.redaction.leak_gate import Gate, Leak, find_leaks
    from mockserver.redaction.redactor import Redactor
    from mockserver.redaction.reserved import generalise, pseudonyms_in
    from mockserver.redaction.rule import Rule, normalised
    from mockserver.redaction.rules import RuleSet, parsed_rules
    from mockserver.redaction.screening import Question, Restoring, Screen, questions_of
    from mockserver.redaction.seen import Secret, Seen, sealed_map, unsealed

_WHERE = {
    "CREDENTIAL_FIELDS": "credentials",
    "Gate": "leak_gate",
    "Leak": "leak_gate",
    "Question": "screening",
    "Redactor": "redactor",
    "Restoring": "screening",
    "Rule": "rule",
    "RuleSet": "rules",
    "Screen": "screening",
    "Secret": "seen",
    "Seen": "seen",
    "find_leaks": "leak_gate",
    "generalise": "reserved",
    "normalised": "rule",
    "parsed_rules": "rules",
    "pseudonyms_in": "reserved",
    "questions_of": "screening",
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
    "Question",
    "Redactor",
    "Restoring",
    "Rule",
    "RuleSet",
    "Screen",
    "Secret",
    "Seen",
    "find_leaks",
    "generalise",
    "normalised",
    "parsed_rules",
    "pseudonyms_in",
    "questions_of",
    "sealed_map",
    "unsealed",
]
