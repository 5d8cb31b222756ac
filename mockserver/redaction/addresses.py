"""Pseudonyms of places in networks: e-mail addresses, domains, IP and MAC addresses."""

import ipaddress
import re

from mockserver.redaction.opaque import Making, opaque
from mockserver.redaction.reserved import PUBLIC_DOMAINS, is_example_domain

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


def email(making: Making, value: str) -> str:
    """An address whose domain stays the same as that of its neighbours."""
    local, sign, host = value.rpartition("@")
    if not sign:
        return value if _PLAIN_LOCAL.fullmatch(value) else opaque(making, "email", value)
    if is_example_domain(host):
        return value
    if host.lower().endswith(_ROBOTS):
        return _robot(making, local, host.lower())
    name = making.noise("email", value.lower()).hex(8)
    return f"user-{name}@{domain(making, host)}"


def domain(making: Making, value: str) -> str:
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
    below = [f"s{making.noise('label', label).hex(6)}" for label in labels[:-cut]]
    return ".".join([*below, f"d{making.noise('domain', base).hex(8)}", "example.com"])


def _robot(making: Making, local: str, host: str) -> str:
    # `name@project.iam...` joins its project; agents of Google's own are named by a number
    front, _, rest = host.partition(".")
    if host.startswith(("gcp-sa-", "developer.", "appspot.", "cloudservices.")) or not rest:
        numbered = re.sub(r"\d{6,}", lambda found: making.shaped("number", found[0]), local)
        return f"{numbered}@{host}"
    if not re.fullmatch(r"project-[0-9a-f]{8}", front):
        front = f"project-{making.noise('project', front).hex(8)}"
    if not _PLAIN_LOCAL.fullmatch(local):
        local = f"sa-{making.noise('robot', f'{local}@{host}').hex(8)}"
    return f"{local}@{front}.{rest}"


def user_info(making: Making, value: str) -> str:
    """User and password before the host of a URL."""
    user, sign, password = value.partition(":")
    made = opaque(making, "user_info", user) if user else ""
    return made + sign + (opaque(making, "password", password) if password else "")


def ipv4(making: Making, value: str) -> str:
    """An address of 198.18.0.0/15, which RFC 2544 keeps for tests.

    The ranges for documents (RFC 5737) hold 762 addresses: of thirty clients two would be one.
    """
    try:
        address = ipaddress.IPv4Address(value)
    except ValueError:
        return value
    if any(address in network for network in _KEPT_V4):
        return value
    number = making.noise("ipv4", str(address)).below(2 * 254 * 254)
    return f"198.{18 + number // (254 * 254)}.{1 + number // 254 % 254}.{1 + number % 254}"


def ipv6(making: Making, value: str) -> str:
    """An address of 2001:db8::/32, which RFC 3849 keeps for documents."""
    try:
        address = ipaddress.IPv6Address(value)
    except ValueError:
        return value
    if any(address in network for network in _KEPT_V6):
        return value
    noise = making.noise("ipv6", str(address))
    return "2001:db8:" + ":".join(f"{1 + noise.below(0xFFFF):x}" for _ in range(6))


def mac(making: Making, value: str) -> str:
    """A locally administered address of the same notation."""
    plain = re.sub(r"[^0-9A-Fa-f]", "", value).lower()
    if len(plain) not in {12, 16}:
        return opaque(making, "mac", value)
    if plain.startswith("020000") or plain in {"0" * 12, "f" * 12}:
        return value
    made = "020000" + making.noise("mac", plain).hex(len(plain) - 6)
    signs = iter(made.upper() if value.upper() == value else made)
    return "".join(next(signs) if sign.isalnum() else sign for sign in value)
