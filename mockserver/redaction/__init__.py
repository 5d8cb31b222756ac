"""Replaces secrets by pseudonyms of the same shape, and finds those that are left; pure.

Redaction, from the rules to a message; each module uses those before it:

* `rule`, `credential_fields`, `default_rules`, `rules`: one rule, names of fields, the table of the
  common rules, ordered rules
* `match_checks`, `pattern_search`: what a find must pass besides; the patterns of all rules at once
* `reserved_values`, `stated_values`, `pseudonyms`, `seen_secrets`: what stands for nobody, what
  stays in clear, what stands in for a value, and what was replaced up to now
* `readers`: JSON, texts with their notations, binary formats, tokens
* `value_redactor`: which rule decides on a value or a text; `explanation` notes which it was
* `headers`, `bodies`, `redactor`: the parts of a message, and whole messages

The leak gate, which searches what was redacted:

* `encodings`: a content in all ways in which it can be read
* `known_secrets`, `unknown_secrets`, `public_ids`: values that were replaced, what looks like a
  secret, and ids that only look so
* `leaks`: both in every reading, with places, and the way back into the content
* `sanitizer`: redacts, searches and replaces until nothing is left; what is only random is asked
* `large_bodies`: the same for a body in fragments

`journal_redaction` and `shown_texts` are apart from all of these: journals and reports have
`[redacted]` in the place of credentials, and no pseudonyms.
"""

from typing import TYPE_CHECKING

from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.redaction.credential_fields import *
    from mockserver.redaction.leaks import *
    from mockserver.redaction.redactor import *
    from mockserver.redaction.reserved_values import *
    from mockserver.redaction.rule import *
    from mockserver.redaction.rules import *
    from mockserver.redaction.sanitizer import *
    from mockserver.redaction.seen_secrets import *
    from mockserver.redaction.shown_texts import *
    from mockserver.redaction.stated_values import *

__getattr__ = lazy_names(
    __name__,
    {
        "credential_fields": "CREDENTIAL_FIELDS",
        "leaks": "Leak LeakGate find_leaks",
        "redactor": "Redactor",
        "reserved_values": "find_pseudonyms generalise_pseudonyms",
        "rule": "Rule normalised_name",
        "rules": "RuleSet parse_rules require_plugin_rules",
        "sanitizer": "InteractionSanitizer Question RestoringSanitizer questions_of",
        "seen_secrets": "Secret SeenSecrets seal_secrets unseal_secrets",
        "shown_texts": "hide_credentials",
        "stated_values": "StatedValues texts_of",
    },
)
"""Each is loaded by its first use: RE2 and the index are none of a server's that answers."""
