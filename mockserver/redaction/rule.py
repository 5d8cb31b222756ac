"""One rule of redaction."""

import re
from dataclasses import dataclass
from functools import lru_cache

_NOISE = str.maketrans("", "", "_-$. ")
CHECKS = (
    "", "luhn", "iban", "ipv4", "ipv6", "hex", "opaque", "pem", "scheme", "secretlike", "random",
    "name",
    "national", "mnemonic", "etag", "mac", "cookies", "person", "code",
    "set", "basic", "phrase", "assigned",
)  # fmt: skip
"""What `Rule.check` may be."""


def normalised_name(name: str) -> str:
    """A field's name as rules write it: lower case, without `_`, `-`, `.`, `$` and spaces.

    >>> normalised_name("X-Goog-Api_Key"), normalised_name("accessToken")
    ('xgoogapikey', 'accesstoken')
    """
    return name.translate(_NOISE).lower()


cached_name = lru_cache(maxsize=4096)(normalised_name)
"""The same for names that come again and again."""


@lru_cache(maxsize=4096)
def last_word(name: str) -> str:
    """The last word of a field's name, in lower case.

    >>> last_word("DB_PASS"), last_word("smtpPass"), last_word("bypass"), last_word("pass")
    ('pass', 'pass', 'bypass', 'pass')
    """
    words = _WORD.findall(name)
    return words[-1].lower() if words else ""


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. What it finds by any of its ways is replaced by a pseudonym of its kind.

    Attributes:
        name: Unique; what reports call it.
        kind: Which pseudonym stands in: `email`, `ipv4`, ..., or any word of lower-case letters.
        fields: Names, normalised, or globs of them, of JSON fields, parameters, headers and form
            fields whose whole value it is. A leading `?`: only in a query or a form. A leading `~`:
            the last word of the name (`~pass` is in `DB_PASS`, not in `bypass`).
        pattern: RE2 syntax, found anywhere in a text. The first group is the secret, or all of it.
        collections: Names of collections; the path segment after one is the secret
            (`projects/<this>`).
        beside: Only in an object that has one of these fields, normalised.
        apart: Never in an object that has one of these fields, normalised.
        within: Only in an object that is the value of a field of these names, normalised, or in a
            list of such objects.
        check: What a match of the pattern must pass besides: one of `CHECKS`; `opaque`, `random`,
            `name` and `etag` hold for fields and collections as well.
        credential: It opens something: it is replaced whatever it looks like, and never decides
            which recording answers.
        keep: What it finds is no secret, whatever later rules say: it stays as it is.
        optional: It is asked only where `on` of redaction.yaml names it.
        about: One phrase for people.
        search_group: The patterns of one group are searched together. A pattern has a group of its
            own where, together with the others, it would take a new state for nearly each sign of a
            random text, which is fifty times as slow. Not for users.
    """

    name: str
    kind: str
    fields: tuple[str, ...] = ()
    pattern: str = ""
    collections: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    check: str = ""
    credential: bool = False
    keep: bool = False
    optional: bool = False
    about: str = ""
    search_group: int = 0
