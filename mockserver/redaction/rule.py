"""One rule of redaction."""

from dataclasses import dataclass

_NOISE = str.maketrans("", "", "_-$. ")
CHECKS = ("", "luhn", "iban", "ipv4", "ipv6", "hex", "opaque")
"""What `Rule.check` may be."""


def normalised(name: str) -> str:
    """A field's name as rules write it: lower case, without `_`, `-`, `.`, `$` and spaces.

    >>> normalised("X-Goog-Api_Key"), normalised("accessToken")
    ('xgoogapikey', 'accesstoken')
    """
    return name.translate(_NOISE).lower()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. What it finds by any of its ways is replaced by a pseudonym of its kind.

    Attributes:
        name: Unique; what reports call it.
        kind: Which pseudonym stands in: `email`, `ipv4`, ..., or any word of lower-case letters.
        fields: Names, normalised, or globs of them, of JSON fields, parameters, headers and form
            fields whose whole value it is. A leading `?`: only in a query or a form.
        pattern: RE2 syntax, found anywhere in a text. The first group is the secret, or all of it.
        collections: Names of collections; the path segment after one is the secret
            (`projects/<this>`).
        beside: Only in an object that has one of these fields, normalised.
        apart: Never in an object that has one of these fields, normalised.
        check: What a match of the pattern must pass besides: one of `CHECKS`; `opaque` holds for
            fields and collections as well.
        credential: It opens something: it is replaced whatever it looks like, and never decides
            which recording answers.
        about: One phrase for people.
    """

    name: str
    kind: str
    fields: tuple[str, ...] = ()
    pattern: str = ""
    collections: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    check: str = ""
    credential: bool = False
    about: str = ""
