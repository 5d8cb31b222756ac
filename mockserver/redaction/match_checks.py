"""What a match must pass besides its pattern."""

import ipaddress
import re
from base64 import b64decode
from collections.abc import Callable, Mapping

from mockserver.redaction.pseudonyms import is_national, luhn, valid_ean, valid_iban
from mockserver.redaction.reserved_values import is_pseudonym, is_wildcard, looks_opaque
from mockserver.redaction.rule import FIELD_CHECKS, Rule

_ISSUERS = re.compile(r"3[0-9]|4|5[0-9]|6|2[2-7]")


def passes_check(check: str, text: str) -> bool:
    """Whether a match is what its rule looks for.

    Args:
        check: One of `CHECKS`, or an empty string, which everything passes.
        text: What the pattern or the field gave.

    >>> (
    ...     passes_check("ipv4", "10.1.2.3"),
    ...     passes_check("ipv4", "10.1.2.300"),
    ...     passes_check("opaque", "open"),
    ... )
    (True, False, False)
    """
    test = _TESTS.get(check)
    return test is None or test(text)


def fits_field(rule: Rule, text: str) -> bool:
    """Whether the value of a field that a rule names is what the rule looks for.

    A field called `iban` holds an account whether its check digits are right or not; only ids must
    look like one.
    """
    return rule.check not in FIELD_CHECKS or passes_check(rule.check, text)


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if len(digits) == _EAN and valid_ean(digits):
        return False
    return _ISSUERS.match(digits) is not None and luhn(digits)


_EAN = 13


def _is_opaque(text: str) -> bool:
    return looks_opaque(text) and not is_wildcard(text)


def _is_assigned(text: str) -> bool:
    """Whether what is assigned to a name is a value: no call of a function, no name of another."""
    return _is_opaque(text) and not _CALL.fullmatch(text) and not _PARAMETER.fullmatch(text)


_PARAMETER = re.compile(r"[A-Za-z]+[ \t]+[A-Za-z_]+=")


_CALL = re.compile(r"(?:await\b|new\b|[A-Za-z_$][\w$]*\.)*[a-z_$][A-Za-z_$]*\(")


def _is_basic(text: str) -> bool:
    """Whether a text is user and password as Basic writes them."""
    try:
        plain = b64decode(text, validate=True).decode()
    except ValueError:
        return False
    return ":" in plain and plain.isprintable()


def _is_phrase(text: str) -> bool:
    """Whether some words are rather a secret than a sentence."""
    words = {word.strip(".,:;!?").lower() for word in text.split()}
    told = any(sign.isdigit() for sign in text) or _SIGNS.search(text) is not None
    return told and words.isdisjoint(_SENTENCE) and words.isdisjoint(STOP_WORDS)


_SENTENCE = frozenset({
    "must", "at", "least", "your", "please", "enter", "is", "a", "an", "of", "to", "or", "be",
    "no", "with", "you", "my", "this", "that", "characters", "digits", "password", "token", "in",
    "key", "secret", "passwort", "nicht", "mindestens", "zeichen", "it", "if", "on", "by", "as",
})  # fmt: skip
"""Words of labels and messages."""


def is_text_in_hex(text: str) -> bool:
    """Whether hex digits are a text: it is opened then, instead of being taken for a hash.

    >>> is_text_in_hex("616461406578616d706c652e6f7267"), is_text_in_hex("d41d8cd98f00b204")
    (True, False)
    """
    try:
        return bytes.fromhex(text).decode("ascii").isprintable()
    except ValueError:
        return False


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return any(sign.isdigit() for sign in text)


_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")


def _is_key(text: str) -> bool:
    """Whether there is a key between the fences of a PEM text, broken off or not."""
    return _KEY_LINE.search(text) is not None


_KEPT = re.compile(r"[\"v]{0,2}\d[\dA-Za-z.+_-]{0,40}\"?|[A-Z]{1,4}-[\w-]{1,20}")


def is_kept_form(text: str) -> bool:
    """Whether the value of a field that holds versions or codes of goods is one."""
    return _KEPT.fullmatch(text) is not None


_SIGNS = re.compile(r"[!@#$%^&*+=?~|]")
_NOT_SECRET = re.compile(
    r"v?\d+(?:[.:,/-]\d+)*(?:st|nd|rd|th|px|ms|mb|gb|kb|[smhd%])?|(?:https?:/|[./~$<%{\[(]).*"
    r"|\w+\(.*|.*\.(?:py|js|ts|go|rs|java|html?|md|txt|json|ya?ml|png|svg)",
    re.IGNORECASE,
)


def _is_secretlike(text: str) -> bool:
    """Whether a word in a sentence is rather a secret than a word."""
    if len(text) < _SHORTEST_SECRET or _NOT_SECRET.fullmatch(text) or is_wildcard(text):
        return False
    letters = any(sign.isalpha() for sign in text)
    if letters and any(sign.isdigit() for sign in text):
        return True
    inner = text[1:]
    mixed = any(sign.isupper() for sign in inner) and any(sign.islower() for sign in inner)
    return letters and (_SIGNS.search(text) is not None or mixed)


_SHORTEST_SECRET = 6
_SAYS_HOW = frozenset({
    "none", "null", "nil", "true", "false", "required", "optional", "missing", "invalid",
    "incorrect", "expired", "empty", "unset", "string", "value", "token", "password", "secret",
    "apikey", "api_key", "your_token", "your_password", "stdin", "prompt", "file", "default",
    "hidden", "enabled", "disabled", "auto", "always", "never", "undefined", "redacted",
    "read", "write", "yes", "no", "on", "off", "passwd", "passwort", "username",
})  # fmt: skip
"""Words that tell how a password is given, or that there is none."""


def _is_set(text: str) -> bool:
    """Whether the value of a setting is one, and not where it comes from."""
    return not (text.lower() in _SAYS_HOW or _NOT_SECRET.fullmatch(text) or is_wildcard(text))


def _is_random(text: str) -> bool:
    """Whether a segment of a path looks as if it let somebody in."""
    digits = sum(sign.isdigit() for sign in text)
    return len(text) >= _SHORTEST_TOKEN and digits > 1 and not text.isdigit() and "." not in text


_SHORTEST_TOKEN = 12
_LETTERS = r"[^\W\d_](?:[^\W\d_]|['\u2019.-])*"
_NAME = re.compile(
    rf"{_LETTERS}(?: (?:(?:von|van|der|den|de|da|di|del|la|le|bin|al|zu) )*{_LETTERS}){{1,3}}"
)
_NO_NAMES = re.compile(
    r"(?i)\b(?:bot|team|group|service|system|support|admin|inc|llc|gmbh|ltd|corp|api|cloud|app"
    r"|user|account|default|unknown|deleted|none|report|project|and|the|of|for|to|with|in|at)\b"
)


def _is_name(text: str) -> bool:
    """Whether a text is rather the name of a person than of anything else."""
    words = text.split(" ")
    capitals = sum(word[:1].isupper() for word in words)
    caseless = not any(sign.islower() or sign.isupper() for sign in text)
    return (
        _NAME.fullmatch(text) is not None
        and (caseless or (capitals > 1 and words[0][:1].isupper() and words[-1][:1].isupper()))
        and _NO_NAMES.search(text) is None
    )


STOP_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "are",
        "was",
        "were",
        "from",
        "has",
        "had",
        "not",
        "but",
        "been",
        "would",
        "should",
        "these",
        "those",
        "into",
        "its",
        "his",
        "her",
        "them",
        "our",
        "can",
        "could",
        "which",
        "their",
        "some",
        "more",
        "such",
        "most",
        "about",
        "over",
        "under",
    ]
)
"""Words that are in no wallet, of those that a sentence hardly does without."""

PHRASE_SIZES = frozenset({12, 15, 18, 21, 24})
"""How many words open a wallet."""


def _is_mnemonic(text: str) -> bool:
    """Whether words are those of a wallet: as many as one has, and no sentence."""
    words = text.split()
    return len(words) in PHRASE_SIZES and STOP_WORDS.isdisjoint(words)


_PREFERENCE = re.compile(
    r"(?i)\s*(?:theme|color_?mode|color_?scheme|dark_?mode|lang(?:uage)?|locale|country|currency|tz"
    r"|timezone|(?:cookie_?)?consent|gdpr|layout|view|sidebar|font_?size)"
    r"=(?:[a-z]{1,12}(?:[-_/][a-z]{1,12}){0,3}|\d{1,2})?\s*"
)


def is_preference(cookie: str) -> bool:
    """Whether a cookie with its name says how somebody likes a page: `theme=dark`."""
    return _PREFERENCE.fullmatch(cookie) is not None


def _says_nothing(cookie: str) -> bool:
    """Whether a cookie, or an attribute of one, is a preference or stands for nobody's."""
    name, _, value = cookie.strip().partition("=")
    attribute = name.lower().replace("-", "") in COOKIE_ATTRIBUTES
    return not value or attribute or is_pseudonym(value.strip('"')) or is_preference(cookie)


COOKIE_ATTRIBUTES = frozenset(
    {"expires", "maxage", "domain", "path", "samesite", "secure", "httponly", "priority",
     "partitioned", "version", "comment"}
)  # fmt: skip
"""Names, without `-`, of what a cookie says besides its value."""


def _is_etag(text: str) -> bool:
    """Whether an entity tag is of two parts, as Google's are: the first tells whose it is."""
    return _GOOGLE_ETAG.fullmatch(text) is not None


_GOOGLE_ETAG = re.compile(r'(?:W/)?\\?"?[\w-]+/[\w-]+\\?"?')


def _is_mac(text: str) -> bool:
    """Whether digits and separators are an address: no time, no number."""
    return len(set(re.sub(r"[^0-9A-Fa-f]", "", text))) > 1 and not re.fullmatch(r"[\d.:-]*", text)


_TESTS: Mapping[str, Callable[[str], bool]] = {
    "luhn": _is_card,
    "iban": valid_iban,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "hex": lambda text: not is_text_in_hex(text),
    "opaque": _is_opaque,
    "pem": _is_key,
    "scheme": lambda text: looks_opaque(text.split()[-1]),
    "secretlike": _is_secretlike,
    "set": _is_set,
    "random": _is_random,
    "name": _is_name,
    "national": is_national,
    "mnemonic": _is_mnemonic,
    "etag": _is_etag,
    "cookies": lambda text: not all(map(_says_nothing, text.split(";"))),
    "mac": _is_mac,
    "basic": _is_basic,
    "phrase": _is_phrase,
    "assigned": _is_assigned,
    "person": lambda text: "/" not in text,  # a repository has a full name as well
    "code": lambda text: any(sign.isdigit() for sign in text),
}
