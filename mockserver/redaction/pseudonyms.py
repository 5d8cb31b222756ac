"""Pseudonyms: equal values get equal ones of the same shape, from ranges that belong to nobody.

A pseudonym is made of the keyed hash of its value: the same key makes the same one for ever.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from hashlib import blake2b, sha256
from typing import Protocol

from mockserver.redaction.reserved_values import (
    CREDENTIAL_KINDS,
    NAME,
    OPAQUE,
    PUBLIC_DOMAINS,
    is_example_domain,
    is_pseudonym,
    is_wildcard,
)

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


class KeyedNoise:
    """Endless looking noise out of one keyed hash; each call gives the next piece."""

    __slots__ = ("_hash", "_rest")

    def __init__(self, digest: bytes) -> None:
        self._hash = digest
        self._rest = int.from_bytes(digest)

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        if self._rest < limit << 32:
            self._hash = blake2b(self._hash, digest_size=48).digest()
            self._rest = int.from_bytes(self._hash)
        self._rest, found = divmod(self._rest, limit)
        return found

    def hex(self, length: int) -> str:
        """Hex digits."""
        return f"{self.below(1 << 4 * length):0{length}x}"

    def digits(self, length: int) -> str:
        """Decimal digits."""
        return f"{self.below(10**length):0{length}d}" if length > 0 else ""

    def base36(self, length: int) -> str:
        """Digits and lower-case letters."""
        return "".join(_BASE36[self.below(36)] for _ in range(length))

    def word(self, syllables: int) -> str:
        """A word that can be spoken."""
        return "".join(_SYLLABLES[self.below(len(_SYLLABLES))] for _ in range(syllables))


def derive_key(key: bytes) -> bytes:
    """A key of the right length out of one of any length."""
    return sha256(b"understudy redaction\0" + key).digest()


def key_id(key: bytes) -> str:
    """Which key it is, without telling it: eight hex digits."""
    return sha256(b"understudy key id\0" + derive_key(key)).hexdigest()[:8]


_OPAQUE = re.compile(OPAQUE)
_PREFIX = re.compile(
    r"(?:github_pat_|[A-Za-z]{2,5}_(?:live_|test_|v1_)?|xox[a-z]-|[a-z]{2,5}-|SG\.)"
)
_AWS = re.compile(r"A[A-Z]{3}(?=[A-Z0-9]{16}$)")
_OPAQUE_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_RESERVED_UUID = "00000000"
_RESERVED_KEY = re.compile(r"AIzaRedacted[0-9a-f]{27}")


class PseudonymSource(Protocol):
    """What makers ask for noise."""

    @property
    def domains(self) -> dict[str, str]:
        """Domains and their pseudonyms: many addresses share one."""

    def noise(self, kind: str, value: str) -> KeyedNoise:
        """The noise that a value of a kind is replaced by."""

    def shaped_id(self, kind: str, value: str) -> str:
        """The pseudonym of an id that may look like anything."""


def opaque(source: PseudonymSource, kind: str, value: str) -> str:
    """`redacted-secret-<16 hex>` or `redacted-id-...`: fit for URLs, headers and file names.

    It is the same for a value of whichever kind, so that a token is known in every field.
    """
    if _OPAQUE.fullmatch(value):
        return value
    word = "secret" if kind in CREDENTIAL_KINDS else "id"
    return f"redacted-{word}-{source.noise('opaque', value).hex(16)}"


def prefixed_token(source: PseudonymSource, prefix: str, value: str) -> str:
    """A token that tells whose it is by its beginning."""
    if value.startswith(f"{prefix}redacted-"):
        return value
    return f"{prefix}redacted-{source.noise(prefix, value).hex(16)}"


def client_secret(source: PseudonymSource, value: str) -> str:
    """A Google OAuth client secret."""
    return prefixed_token(source, "GOCSPX-", value)


def api_key(source: PseudonymSource, value: str) -> str:
    """A Google API key of the usual length, or what stands for another one's key."""
    if _RESERVED_KEY.fullmatch(value):
        return value
    if not value.startswith("AIza"):
        return opaque(source, "api_key", value)
    return "AIzaRedacted" + source.noise("api_key", value).hex(27)


def vendor_token(source: PseudonymSource, value: str) -> str:
    """A token with the beginning that its vendor gives all of them."""
    if "Redacted0" in value:
        return value
    aws = _AWS.match(value)
    prefix = aws or _PREFIX.match(value)
    noise = source.noise("vendor_token", value)
    return f"{prefix[0] if prefix else 'key-'}Redacted0{noise.hex(15)}"


def hexadecimal(source: PseudonymSource, value: str) -> str:
    """A hash of the same length and case; eight zeros tell that it is none."""
    plain = value.lower()
    if plain.startswith(_RESERVED_UUID) or not re.fullmatch(r"[0-9a-f]{16,}", plain):
        return value if plain.startswith(_RESERVED_UUID) else source.shaped_id("digest", value)
    made = _RESERVED_UUID + source.noise("hash", plain).hex(len(plain) - 8)
    return made.upper() if value.isupper() else made


def uuid(source: PseudonymSource, value: str) -> str:
    """A UUID of the same version, variant and case."""
    plain = value.lower()
    if plain.startswith(_RESERVED_UUID) or not _OPAQUE_UUID.fullmatch(plain):
        return value if plain.startswith(_RESERVED_UUID) else source.shaped_id("id", value)
    noise = source.noise("uuid", plain)
    version, variant = plain[14], plain[19]
    made = (
        f"{_RESERVED_UUID}-{noise.hex(4)}-{version}{noise.hex(3)}-{variant}{noise.hex(3)}"
        f"-{noise.hex(12)}"
    )
    return made.upper() if value.isupper() else made


def etag(source: PseudonymSource, value: str) -> str:
    """An entity tag; weakness and quotes stay."""
    found = re.fullmatch(r'((?:W/)?\\?"?)(.*?)(\\?"?)', value, re.DOTALL)
    if found is None or not found[2] or found[2] == "*":
        return value
    return f"{found[1]}{opaque(source, 'etag', found[2])}{found[3]}"


def private_key(source: PseudonymSource, value: str) -> str:
    """A key in PEM form that no library can read by mistake."""
    if re.search(r"redacted-secret-[0-9a-f]{16}", value):
        return value
    lines = "\\n" if "\\n" in value else "\n"
    words = re.sub(r"\\n|\s", "", value)
    inside = opaque(source, "private_key", words)
    if "BEGIN" not in value:
        return inside
    tail = lines if value.endswith(lines) else ""
    return f"-----BEGIN PRIVATE KEY-----{lines}{inside}{lines}-----END PRIVATE KEY-----{tail}"


_NAME = re.compile(NAME)
_WORD = re.compile(r"[^\s,;.()\"'/-]+")
_STREET = re.compile(r"\d{7} Example Street")
_CITY = re.compile(r"Qx[a-z]+ville")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(.*)", re.DOTALL)


def person_name(source: PseudonymSource, value: str) -> str:
    """A name word by word, so that a full name is still made of its parts."""

    def word(found: "re.Match[str]") -> str:
        if _NAME.fullmatch(found[0]):
            return found[0]
        return "Qx" + source.noise("person_name", found[0].lower()).word(5)

    return _WORD.sub(word, value)


def street(source: PseudonymSource, value: str) -> str:
    """A line of an address."""
    if not value.strip() or _STREET.fullmatch(value):
        return value
    return f"{source.noise('street', value.lower()).digits(7)} Example Street"


def city(source: PseudonymSource, value: str) -> str:
    """A town."""
    if not value.strip() or _CITY.fullmatch(value):
        return value
    return f"Qx{source.noise('city', value.lower()).word(4)}ville"


def postal_code(source: PseudonymSource, value: str) -> str:
    """A code that no post serves: it begins with zeros."""
    if value.startswith("000") or not value.strip():
        return value
    return "000" + source.noise("postal_code", value.lower()).digits(max(2, len(value) - 3))


def birth(source: PseudonymSource, value: str) -> str:
    """A day of the year 1900; its form stays."""
    found = _DATE.fullmatch(value)
    if found is None:
        return source.shaped_id("birth", value)
    if found[1] == "1900":
        return value
    noise = source.noise("birth", value[:10])
    return f"1900-{1 + noise.below(12):02d}-{1 + noise.below(28):02d}{found[4]}"


_PLAIN_LOCAL = re.compile(r"(?:user|sa)-[0-9a-f]{8}")
_ROBOTS = "gserviceaccount.com"
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "or", "org"})
_KEPT_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8", "127.0.0.0/8", "169.254.169.254/32", "192.0.2.0/24", "198.51.100.0/24",
        "203.0.113.0/24", "198.18.0.0/15", "224.0.0.0/4", "255.255.255.255/32",
    )
)  # fmt: skip
_KEPT_V6 = tuple(
    ipaddress.IPv6Network(network) for network in ("::/127", "2001:db8::/32", "ff00::/8")
)


def email(source: PseudonymSource, value: str) -> str:
    """An address whose domain stays the same as that of its neighbours."""
    local, sign, host = value.rpartition("@")
    if not sign:
        return value if _PLAIN_LOCAL.fullmatch(value) else opaque(source, "email", value)
    made = source.domains.get(host)
    if made is None:
        if is_example_domain(host):
            return value
        if host.lower().endswith(_ROBOTS):
            return _robot(source, local, host.lower())
        if len(source.domains) >= _MOST_DOMAINS:
            source.domains.clear()
        made = source.domains[host] = domain(source, host)
    return f"user-{source.noise('email', value.lower()).hex(8)}@{made}"


_MOST_DOMAINS = 10_000


def domain(source: PseudonymSource, value: str) -> str:
    """A domain below `example.com`; subdomains stay below their domain."""
    host = value.lower().rstrip(".")
    if is_example_domain(host) or "." not in host:
        return value
    if host in PUBLIC_DOMAINS:
        return "example.com"
    labels = host.split(".")
    long_tail = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    cut = 3 if long_tail else 2
    base = ".".join(labels[-cut:])
    below = [f"s{source.noise('label', label).hex(6)}" for label in labels[:-cut]]
    return ".".join([*below, f"d{source.noise('domain', base).hex(8)}", "example.com"])


def _robot(source: PseudonymSource, local: str, host: str) -> str:
    # `name@project.iam...` joins its project; agents of Google's own are named by a number
    front, _, rest = host.partition(".")
    if host.startswith(("gcp-sa-", "developer.", "appspot.", "cloudservices.")) or not rest:
        numbered = re.sub(r"\d{6,}", lambda found: source.shaped_id("number", found[0]), local)
        return f"{numbered}@{host}"
    if not re.fullmatch(r"project-[0-9a-f]{8}", front):
        front = f"project-{source.noise('project', front).hex(8)}"
    if not _PLAIN_LOCAL.fullmatch(local):
        local = f"sa-{source.noise('robot', f'{local}@{host}').hex(8)}"
    return f"{local}@{front}.{rest}"


def user_info(source: PseudonymSource, value: str) -> str:
    """User and password before the host of a URL."""
    user, sign, password = value.partition(":")
    made = opaque(source, "user_info", user) if user else ""
    return made + sign + (opaque(source, "password", password) if password else "")


def ipv4(source: PseudonymSource, value: str) -> str:
    """An address of 198.18.0.0/15, which RFC 2544 keeps for tests.

    The ranges for documents (RFC 5737) hold 762 addresses: of thirty clients two would be one.
    """
    try:
        address = ipaddress.IPv4Address(value)
    except ValueError:
        return value
    if any(address in network for network in _KEPT_V4):
        return value
    number = source.noise("ipv4", str(address)).below(2 * 254 * 254)
    return f"198.{18 + number // (254 * 254)}.{1 + number // 254 % 254}.{1 + number % 254}"


def ipv6(source: PseudonymSource, value: str) -> str:
    """An address of 2001:db8::/32, which RFC 3849 keeps for documents."""
    try:
        address = ipaddress.IPv6Address(value)
    except ValueError:
        return value
    if any(address in network for network in _KEPT_V6):
        return value
    noise = source.noise("ipv6", str(address))
    return "2001:db8:" + ":".join(f"{1 + noise.below(0xFFFF):x}" for _ in range(6))


def mac(source: PseudonymSource, value: str) -> str:
    """A locally administered address of the same notation."""
    plain = re.sub(r"[^0-9A-Fa-f]", "", value).lower()
    if len(plain) not in {12, 16}:
        return opaque(source, "mac", value)
    if plain.startswith("020000") or plain in {"0" * 12, "f" * 12}:
        return value
    made = "020000" + source.noise("mac", plain).hex(len(plain) - 6)
    signs = iter(made.upper() if value.upper() == value else made)
    return "".join(next(signs) if sign.isalnum() else sign for sign in value)


_RESERVED = "9000"
_TEST_CARD = "400000"
_LETTERS = re.compile(r"[^\W\d_]")


def digits(source: PseudonymSource, value: str) -> str:
    """A number of the same length; `9000` at its front tells that it is none."""
    if value.startswith(_RESERVED) or not value.isdigit():
        return value
    return _RESERVED + source.noise("number", value).digits(len(value) - len(_RESERVED))


def phone(source: PseudonymSource, value: str) -> str:
    """A number that is kept for fiction (555-01xx), as long as the original where that has ten."""
    plain = re.sub(r"\D", "", value)
    if len(plain) < 7:
        return value if not plain else opaque(source, "phone", value)
    if re.fullmatch(r"1?[2-9]\d\d55501\d\d", plain):
        return value
    noise = source.noise("phone", plain)
    made = f"{2 + noise.below(8)}{noise.digits(2)}55501{noise.digits(2)}"
    if len(plain) == len(made) and not _LETTERS.search(value) and "+" not in value:
        return _fill_form(value, made)
    return f"+1-{made[:3]}-{made[3:6]}-{made[6:]}"


def card(source: PseudonymSource, value: str) -> str:
    """A card number of a test range, with a right check digit."""
    plain = re.sub(r"\D", "", value)
    if plain.startswith(_TEST_CARD) or not 12 <= len(plain) <= 19:
        return value if plain.startswith(_TEST_CARD) else source.shaped_id("card", value)
    body = _TEST_CARD + source.noise("card", plain).digits(len(plain) - 7)
    check = next(str(last) for last in range(10) if luhn(f"{body}{last}"))
    return _fill_form(value, body + check)


def luhn(number: str) -> bool:
    """Whether the check digit of a card number is right.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, sign in enumerate(reversed(number)):
        doubled = int(sign) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def iban(source: PseudonymSource, value: str) -> str:
    """An IBAN of the same country and length, with right check digits and no bank."""
    plain = re.sub(r"\s", "", value).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}", plain):
        return source.shaped_id("iban", value)
    if plain[4:8] == "0000":
        return value
    body = "0000" + source.noise("iban", plain).digits(len(plain) - 8)
    check = 98 - _mod97(f"{body}{plain[:2]}00")
    return _fill_form(value, f"{plain[:2]}{check:02d}{body}")


def valid_iban(value: str) -> bool:
    """Whether the check digits of an IBAN are right.

    >>> valid_iban("GB82 WEST 1234 5698 7654 32"), valid_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = re.sub(r"\s", "", value).upper()
    return len(plain) >= 15 and _mod97(plain[4:] + plain[:4]) == 1


def valid_ean(number: str) -> bool:
    """Whether the check digit of an EAN or ISBN is right.

    >>> valid_ean("4006381333931"), valid_ean("4006381333932")
    (True, False)
    """
    return sum(int(sign) * (1, 3)[place % 2] for place, sign in enumerate(number)) % 10 == 0


def is_national(text: str) -> bool:
    """Whether a number is one that a state gives people: of its form, with its check digits.

    >>> is_national("12345678Z"), is_national("12345678A"), is_national("111.444.777-35")
    (True, False, True)
    """
    return any(form.fullmatch(text) and test(text) for form, test in _NATIONAL)


def _dni(text: str) -> bool:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(text[:8]) % 23] == text[8]


def _cpf(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    for size in (9, 10):
        total = sum(digit * (size + 1 - place) for place, digit in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != digits[size]:
            return False
    return len(set(digits)) > 1


def _insee(text: str) -> bool:
    plain = text.replace(" ", "")
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


def _resident(text: str) -> bool:
    weights = [pow(2, 17 - place, 11) for place in range(17)]
    total = sum(int(sign) * weight for sign, weight in zip(text, weights, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _hetu(text: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[7:10]) % 31] == text[10]


_NATIONAL: tuple[tuple["re.Pattern[str]", Callable[[str], bool]], ...] = (
    (re.compile(r"\d{3}-\d{2}-\d{4}"), lambda text: text[:3] not in {"000", "666"}),
    (re.compile(r"\d{8}[A-Z]"), _dni),
    (re.compile(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), _cpf),
    (re.compile(r"756\.\d{4}\.\d{4}\.\d{2}"), lambda text: valid_ean(text.replace(".", ""))),
    (re.compile(r"[12] \d\d \d\d \d\d \d{3} \d{3} \d\d"), _insee),
    (re.compile(r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]"), bool),
    (re.compile(r"[A-CEGHJ-PQR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"), bool),
    (re.compile(r"[1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dXx]"), _resident),
    (re.compile(r"\d{6}[-+A]\d{3}[0-9A-Y]"), _hetu),
    (re.compile(r"\d{6}-[1-4]\d{6}"), bool),
    (re.compile(r"[A-Z]{5}\d{4}[A-Z]"), bool),
)
NATIONAL = "|".join(form.pattern for form, _ in _NATIONAL)
"""All the forms."""


def one_time(source: PseudonymSource, value: str) -> str:
    """A code of as many digits, or a word for what has others."""
    if not value.isdigit():
        return opaque(source, "secret", value)
    front = _RESERVED[: max(2, len(value) - 2)]
    if value.startswith(front):
        return value
    return front + source.noise("one_time", value).digits(len(value) - len(front))


def tax_number(source: PseudonymSource, value: str) -> str:
    """A number that no state has given: it begins with 900-0."""
    plain = re.sub(r"\D", "", value)
    if len(plain) != 9 or _LETTERS.search(value):
        return source.shaped_id("tax", value)
    if plain.startswith("9000"):
        return value
    return _fill_form(value, "9000" + source.noise("tax", plain).digits(5))


def bank_account(source: PseudonymSource, value: str) -> str:
    """An account number of the same length."""
    plain = re.sub(r"\D", "", value)
    if len(plain) < 6 or re.search(r"[^\d -]", value):
        return source.shaped_id("account", value)
    return _fill_form(value, digits(source, plain))


def _fill_form(form: str, signs: str) -> str:
    """Signs in the places of the letters and digits of a form."""
    rest = iter(signs)
    return "".join(next(rest) if sign.isalnum() else sign for sign in form)


def _mod97(text: str) -> int:
    return int("".join(str(int(sign, 36)) for sign in text)) % 97


Maker = Callable[["Pseudonyms", str], str]
"""Makes the pseudonym of a value; gives back what is one already."""

_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_HEX = re.compile(r"[0-9a-f]{24,128}|[0-9A-F]{24,128}")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_FEW_DIGITS = 6


class Pseudonyms:
    """Makes pseudonyms with one key; pure: the same value always gets the same one.

    Attributes:
        domains: Those of addresses, with their pseudonyms.
    """

    def __init__(self, key: bytes) -> None:
        self._keyed = blake2b(key=derive_key(key), digest_size=48)
        self.domains: dict[str, str] = {}

    def noise(self, kind: str, value: str) -> KeyedNoise:
        """The noise that a value of a kind is replaced by."""
        keyed = self._keyed.copy()
        keyed.update(f"{kind}\0{value}".encode("utf-8", "surrogatepass"))
        return KeyedNoise(keyed.digest())

    def of(self, kind: str, value: str) -> str:
        """The pseudonym of a value; itself where it stands for nobody."""
        if is_pseudonym(value):
            return value
        maker = MAKERS.get(kind)
        return maker(self, value) if maker is not None else self.shaped_id(kind, value)

    def shaped_id(self, kind: str, value: str) -> str:
        """The pseudonym of an id that may look like anything."""
        if is_pseudonym(value) or (value.isdigit() and len(value) < _FEW_DIGITS):
            return value
        for form, maker in _SHAPES:
            if form.fullmatch(value):
                return maker(self, value)
        return opaque(self, kind, value)


def _customer(source: Pseudonyms, value: str) -> str:
    if value.startswith("C0z") or not re.fullmatch(r"C[0-9a-z]{8}", value):
        return source.shaped_id("customer", value)
    return "C0z" + source.noise("customer", value).base36(6)


def _org_unit(source: Pseudonyms, value: str) -> str:
    plain = value.removeprefix("id:")
    front = value[: len(value) - len(plain)]
    if plain.startswith("03ph0000"):
        return value
    if not plain.startswith("03ph"):
        return front + source.shaped_id("orgunit", plain)
    return f"{front}03ph0000{source.noise('org_unit', plain).base36(max(7, len(plain) - 8))}"


def _project(source: Pseudonyms, value: str) -> str:
    if is_pseudonym(value) or (value.isdigit() and len(value) < _FEW_DIGITS):
        return value
    if value.isascii() and value.isdigit():
        return digits(source, value)
    return f"project-{source.noise('project', value).hex(8)}"


def _account(source: Pseudonyms, value: str) -> str:
    if re.fullmatch(r"1\d{20}", value) is None:
        return source.shaped_id("account", value)
    return value if value.startswith("1999") else "1999" + source.noise("account", value).digits(17)


def _coordinate(source: Pseudonyms, value: str) -> str:
    """A place near the point where both are 0: nobody lives there."""

    def near(found: "re.Match[str]") -> str:
        if re.fullmatch(r"0\.0\d+", found[0]):
            return found[0]
        size = max(4, len(found[0].rpartition(".")[2]))
        return "0.0" + source.noise("coordinate", found[0]).digits(size - 2) + "1"

    return re.sub(r"-?\d+\.\d+", near, value)


def _opaque(kind: str) -> Maker:
    return lambda source, value: opaque(source, kind, value)


_SHAPES: tuple[tuple["re.Pattern[str]", Maker], ...] = (
    (re.compile(r"1[0-9]{20}"), _account),
    (re.compile(r"[0-9]+"), digits),
    (re.compile(r"C0[0-9a-z]{7}"), _customer),
    (re.compile(r"(?:id:)?03ph[0-9a-z]{6,}"), _org_unit),
    (_UUID, uuid),
    (_HEX, hexadecimal),
    (_EMAIL, email),
)

MAKERS: Mapping[str, Maker] = {
    "access_token": lambda source, value: prefixed_token(source, "ya29.", value),
    "account": _account,
    "api_key": api_key,
    "assertion": _opaque("assertion"),
    "bank_account": bank_account,
    "birth": birth,
    "card": card,
    "city": city,
    "client_secret": client_secret,
    "customer": _customer,
    "domain": domain,
    "email": email,
    "etag": etag,
    "hash": hexadecimal,
    "iban": iban,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "mac": mac,
    "one_time": one_time,
    "org_unit": _org_unit,
    "coordinate": _coordinate,
    "password": _opaque("password"),
    "person_name": person_name,
    "phone": phone,
    "postal_code": postal_code,
    "private_key": private_key,
    "project": _project,
    "refresh_token": lambda source, value: prefixed_token(source, "1//", value),
    "street": street,
    "tax_number": tax_number,
    "token": _opaque("token"),
    "user_info": user_info,
    "uuid": uuid,
    "vendor_token": vendor_token,
}
"""The table; other kinds are shaped by what their values look like."""


_WORDS = frozenset({
    "city", "device_name", "organization_name", "person_name", "street", "username",
})  # fmt: skip
_ID = re.compile(
    r"(?=[^\s]*(?:_|\d[^\s]*[A-Za-z]|[-:.][^\s]*\d|\d[^\s]*[-:.]))[A-Za-z0-9]+(?:[_:.-]+[A-Za-z0-9]+)*"
)
_PLACES_OF_KINDS: tuple[tuple["re.Pattern[str]", str], ...] = (
    (_EMAIL, "email"),
    (_UUID, "uuid"),
)
_RANKS = ("person_name", "username", "id", "device", "serial", "account", "customer", "project")


def kind_of(kind: str, value: str) -> str:
    """The kind that a value has wherever it stands: what tells what it is by itself is that.

    Args:
        kind: What the field says that it is.
        value: The value.

    >>> kind_of("person_name", "usr_8Ye"), kind_of("person_name", "Ada Berg")
    ('id', 'person_name')
    >>> kind_of("customer", "ada@corp.io"), kind_of("password", "ada@corp.io")
    ('email', 'password')
    """
    if kind in CREDENTIAL_KINDS:
        return kind
    for form, told in _PLACES_OF_KINDS:
        if form.fullmatch(value):
            return told
    return "id" if kind in _WORDS and _ID.fullmatch(value) else kind


def rank(kind: str) -> tuple[int, str]:
    """How much a kind tells of a value: the greater counts where a value has two."""
    if kind == "page_token":
        return len(_RANKS) + 2, kind  # it is named like a credential, and decides what answers
    if kind in CREDENTIAL_KINDS:
        return len(_RANKS) + 1, kind
    return (_RANKS.index(kind) if kind in _RANKS else _RANKS.index("id"), kind)


def is_reserved(text: str) -> bool:
    """Whether a whole text stands for nobody: a pseudonym, or what standards keep for examples.

    >>> is_reserved("198.51.100.7"), is_reserved("ada@example.org"), is_reserved("ada@corp.io")
    (True, True, False)
    """
    if is_pseudonym(text) or is_wildcard(text) or is_example_domain(text):
        return True
    return any(form.fullmatch(text) and maker(_NOBODY, text) == text for form, maker in _PLACES)


_NOBODY = Pseudonyms(b"")
_PLACES: tuple[tuple["re.Pattern[str]", Maker], ...] = (
    (_EMAIL, email),
    (re.compile(r"\d+(?:\.\d+){3}"), ipv4),
    (re.compile(r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*"), ipv6),
    (re.compile(r"[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}"), mac),
)
