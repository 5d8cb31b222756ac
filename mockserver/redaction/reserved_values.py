"""Which values stand for nobody: our pseudonyms, and what standards keep for examples."""

import re
from collections.abc import Callable

CREDENTIAL_KINDS = frozenset({
    "access_token", "api_key", "assertion", "authorization", "client_secret", "cookie", "jwt",
    "password", "private_key", "refresh_token", "secret", "session", "signature", "token",
    "user_info", "vendor_token", "one_time", "webhook", "assigned",
})  # fmt: skip
"""Kinds of pseudonyms that stand for credentials."""

PUBLIC_DOMAINS = frozenset({
    "aol.com", "gmail.com", "google.com", "googlegroups.com", "googlemail.com", "gmx.de",
    "hotmail.com", "icloud.com", "live.com", "me.com", "outlook.com", "proton.me",
    "protonmail.com", "web.de", "yahoo.com",
})  # fmt: skip
"""Domains where mail of anybody lives: they tell of no customer."""

_EXAMPLE = re.compile(
    r"(?i)(?:.*\.)?(?:example\.(?:com|org|net)|example|test|invalid|localhost)\.?|localhost"
)
_WILD = frozenset({
    "", "-", "*", "all", "any", "me", "my_customer", "mycustomer", "none", "null", "default",
    "unknown", "true", "false", "global", "customer", "undefined", "_",
})  # fmt: skip
_PLACEHOLDER = re.compile(
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"  # an enum
    r"|[\[{<$].*[\]}>]|\$\w+"  # a template
    r"|(?i:\W*(?:redacted|scrubbed|filtered|removed|hidden|masked)\W*)|[*x.•]{3,}"  # a mask
)

OPAQUE = r"redacted-(?:secret|id)-[0-9a-f]{16}"
NAME = r"Qx(?:[bdfgklmnprstvz][aeiou]){5}"

_FORMS: tuple[tuple[str, str], ...] = (
    ("jwt", r"eyJ[\w-]+\.[\w-]+\.cmVkYWN0ZWQt[\w-]+"),
    ("private_key", r"-----BEGIN PRIVATE KEY-----(?:\\n|\s)*redacted-secret-[0-9a-f]{16}"
                    r"(?:\\n|\s)*-----END PRIVATE KEY-----"),
    ("access_token", r"ya29\.redacted-[0-9a-f]{16}"),
    ("refresh_token", r"1//redacted-[0-9a-f]{16}"),
    ("client_secret", r"GOCSPX-redacted-[0-9a-f]{16}"),
    ("api_key", r"AIzaRedacted[0-9a-f]{27}"),
    ("vendor_token", r"[A-Za-z][\w.-]{1,14}[_.-]?Redacted0[0-9a-fA-F]{15}"),
    ("opaque", OPAQUE),
    ("email", r"(?:user|sa)-[0-9a-f]{8}@[a-z0-9.-]+\.(?:com|org|net)"),
    ("domain", r"(?:s[0-9a-f]{6}\.)*d[0-9a-f]{8}\.example\.com"),
    ("city", r"Qx(?:[bdfgklmnprstvz][aeiou]){4}ville"),
    ("person_name", NAME),
    ("project", r"project-[0-9a-f]{8}"),
    ("org_unit", r"03ph0000[0-9a-z]+"),
    ("customer", r"C0z[0-9a-z]{6}"),
    ("uuid", r"00000000-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
    ("hash", r"00000000[0-9a-fA-F]{16,120}"),
    ("mac", r"02[:-]00[:-]00(?:[:-][0-9A-Fa-f]{2}){3,5}|0200\.00[0-9A-Fa-f]{2}\.[0-9A-Fa-f]{4}"
            r"|020000-[0-9A-Fa-f]{6}"),
    ("ipv6", r"(?i:2001:db8:)[0-9a-fA-F:]+"),
    ("ipv4", r"198\.1[89]\.\d{1,3}\.\d{1,3}"),
    ("account", r"1999\d{17}"),
    ("iban", r"[A-Z]{2}\d{2} ?0000[ \d]+"),
    ("card", r"4000[ -]?00\d{2}(?:[ -]?\d){5,11}"),
    ("phone", r"\+1-?[2-9]\d\d-?555-?01\d\d|\(?[2-9]\d\d\)?[ -]555-01\d\d"),
    ("street", r"\d{7} Example Street"),
    ("number", r"9000\d+"),
)  # fmt: skip


def is_example_domain(domain: str) -> bool:
    """Whether a domain is one of those that RFC 2606 and RFC 6761 keep for examples.

    >>> is_example_domain("mail.example.com"), is_example_domain("example.com.evil.io")
    (True, False)
    """
    return _EXAMPLE.fullmatch(domain) is not None


def is_wildcard(value: str) -> bool:
    """Whether a value in the place of an id names nothing: a wildcard, an enum, a placeholder.

    >>> is_wildcard("my_customer"), is_wildcard("STATE_UNSPECIFIED"), is_wildcard("C01")
    (True, True, False)
    """
    return value.lower() in _WILD or _PLACEHOLDER.fullmatch(value) is not None


def looks_opaque(value: str) -> bool:
    """Whether a value looks as if a machine made it: digits among letters, mixed case, or long.

    >>> looks_opaque("open"), looks_opaque("a81f"), looks_opaque("PF2X9K1")
    (False, True, True)
    """
    if value.isdigit():
        return len(value) >= _FEW_DIGITS
    digits = any(sign.isdigit() for sign in value)
    mixed = not value.islower() and not value.isupper() and not value.istitle()
    return digits or (mixed and " " not in value) or len(value) >= _LONG


_FEW_DIGITS = 6
_LONG = 16


def _forms() -> "re.Pattern[str]":
    # one look behind for all: an edge is where neither side is a letter or digit
    pieces = (f"(?P<{kind}>{form})" for kind, form in _FORMS)
    return re.compile(
        rf"(?:(?<![A-Za-z0-9])|(?<=[%=][0-9A-F]{{2}}))(?:{'|'.join(pieces)})(?![A-Za-z0-9])"
    )


_PSEUDONYM = _forms()


def is_pseudonym(value: str) -> bool:
    """Whether a whole value is one of our pseudonyms."""
    return _PSEUDONYM.fullmatch(value) is not None


def find_pseudonyms(text: str) -> tuple[str, ...]:
    """The pseudonyms in a text, in order."""
    if not any(sign in text for sign in _SIGNS):
        return ()
    return tuple(found[0] for found in _PSEUDONYM.finditer(text))


_SIGNS = (
    "edacted", "cmVkYWN0", "xample", "00:00", "00-00", "0000", "0200.00", "Qx", "project-", "user-",
    "sa-", "C0z", "2001:", "198.1", "1999", "4000", "555-01", "55501", "9000",
)  # fmt: skip
"""Something of this is in every pseudonym."""


def find_pseudonym_spans(content: bytes) -> list[tuple[int, int]]:
    """Where the pseudonyms in a UTF-8 text stand; cheap where there is none."""
    windows: list[tuple[int, int]] = []
    for sign, before in _NEAR.items():
        at = content.find(sign)
        while at >= 0:
            windows.append((at - before, at + len(sign)))
            at = content.find(sign, at + len(sign))
    found: list[tuple[int, int]] = []
    done = 0
    for start, end in sorted(windows):
        if end <= done:
            continue
        beyond = _JOINED.match(content, min(len(content), end + _BEHIND))
        end = beyond.end() if beyond else len(content)
        spans = _PSEUDONYM_BYTES.finditer(content, max(start, done, 0), end)
        found += [each.span() for each in spans]
        done = max(end, found[-1][1] if found else 0)
    return found


_NEAR = {sign.encode(): 24 for sign in _SIGNS} | {
    b"edacted": 96, b"cmVkYWN0": 8192, b"xample": 192,
}  # fmt: skip
"""How many bytes before such a sign a pseudonym may begin; the last ones are tokens and keys."""
_BEHIND = 160
_JOINED = re.compile(rb"[\w.:@+/=-]*")


_REST = re.compile(r"[^\W_]{4,}")


def is_made_of_pseudonyms(text: str) -> bool:
    """Whether a text has pseudonyms in it and, but for them, no word.

    >>> is_made_of_pseudonyms("redacted-id-0123456789abcdef:"), is_made_of_pseudonyms("hunter2x:")
    (True, False)
    """
    rest, count = _PSEUDONYM.subn(" ", text)
    return count > 0 and _REST.search(rest) is None


def generalise_pseudonyms(text: str, *, credentials_only: bool) -> str:
    """A text with `<kind>` for each of our pseudonyms in it.

    Args:
        text: Redacted text.
        credentials_only: Only for those that stand for credentials.

    >>> generalise_pseudonyms("Bearer ya29.redacted-0123456789abcdef", credentials_only=True)
    'Bearer <access_token>'
    """
    if not _LIKELY.search(text):
        return text
    return _PSEUDONYM.sub(_wider(credentials_only=credentials_only), text)


_LIKELY = re.compile(
    r"edacted|cmVkYWN0|xample|00[:-]00|Qx|0000|project-|C0z|2001|198\.1|1999|4000|555-?01|9000"
)
_PSEUDONYM_BYTES = re.compile(_PSEUDONYM.pattern.encode())


def _wider(*, credentials_only: bool) -> Callable[["re.Match[str]"], str]:
    def replace_reserved(found: "re.Match[str]") -> str:
        kind = found.lastgroup or ""
        if kind == "opaque":
            kind = found[0].split("-")[1]
        if credentials_only and kind not in CREDENTIAL_KINDS:
            return found[0]
        return f"<{kind}>"

    return replace_reserved
