"""One rule of redaction."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_NOISE = str.maketrans("", "", "_-$. ")
CHECKS: Mapping[str, str] = {
    "luhn": "a card number: a card issuer's first digits, a right check digit, no EAN",
    "iban": "an IBAN with right check digits",
    "ipv4": "an IPv4 address: four numbers up to 255",
    "ipv6": "an IPv6 address that has a digit in it",
    "hex": "hexadecimal digits that are no text in hexadecimal",
    "opaque": "an id: digits, mixed case or 16 characters; no placeholder (`my_customer`)",
    "pem": "a text with 16 characters of base64 side by side",
    "scheme": "words of which the last is `opaque` (`Bearer a81f`)",
    "secretlike": "6 characters with digits, signs or capitals within; no version, path, URL, file",
    "random": "12 characters or more with two digits; not digits alone, no `.`",
    "name": "two to four words with capitals, as people are called; no `Team`, `Bot`, `Support`",
    "national": "a number that a state gives to people, with its check digits",
    "mnemonic": "12, 15, 18, 21 or 24 words, none of which is one like `the` or `from`",
    "etag": 'an entity tag of two parts (`"a1/b2"`)',
    "mac": "a MAC address: hexadecimal digits with a letter, not all the same",
    "cookies": "cookies of which one has a value that is no preference (`theme=dark`)",
    "person": "a text without `/`: a repository has a full name as well",
    "code": "a text with a digit in it",
    "set": "a value: no word about values (`none`, `required`), no version, path, URL, placeholder",
    "basic": "base64 of `user:password`",
    "phrase": "words with a digit or a sign, none of which is a word of sentences (`your`, `must`)",
    "assigned": "a text that is `opaque`, no call (`open(`) and no parameter of one",
}
"""What `Rule.check` may be, with what each accepts."""

FIELD_CHECKS = frozenset({"opaque", "random", "name", "etag", "person", "code", "basic"})
"""The checks that the value of a field must pass, too; of others the field's name is enough."""


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
        check: What a find must pass besides: one of `CHECKS`, or an empty string. What a pattern or
            a collection finds must pass any of them, the value of a field only those of
            `FIELD_CHECKS`: a field called `iban` holds an account, whether its check digits are
            right or not.
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
