"""Kinds of Chrome events, as people speak of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class EventKind:
    """A kind of Chrome event.

    Attributes:
        name: The event's name in the audit log.
        title: What people call one of them.
        words: Phrases that point at it.
        by: Parameters worth counting, with what they are called.
        cause: What is often behind many of them.
        remedy: What to do first.
    """

    name: str
    title: str
    words: tuple[str, ...]
    by: Mapping[str, str] = field(default_factory=dict)
    cause: str = ""
    remedy: str = ""


EVENT_KINDS: tuple[EventKind, ...] = (
    EventKind(
        "UNSAFE_SITE_VISIT",
        "unsafe site visit",
        ("phishing", "unsafe site", "unsafe sites", "dangerous site", "deceptive"),
        {"URL": "address", "EVENT_RESULT": "result"},
        "One campaign usually reaches several people through the same address.",
        "Block the most visited address and talk to the people who met it most.",
    ),
    EventKind(
        "PASSWORD_REUSE",
        "password reuse",
        ("password reuse", "reused", "same password", "work password", "corporate password"),
        {"URL": "address"},
        "The corporate password was typed where it does not belong, perhaps on a phishing page.",
        "Have the affected accounts change their passwords.",
    ),
    EventKind(
        "MALWARE_TRANSFER",
        "malware transfer",
        ("malware", "virus", "infected"),
        {"CONTENT_NAME": "file", "URL": "address"},
        "The same file is often fetched again after it was blocked.",
        "Block the address it comes from and check the machines.",
    ),
    EventKind(
        "CONTENT_UNSCANNED",
        "unscanned transfer",
        ("unscanned", "not scanned", "without a scan"),
        {"EVENT_REASON": "reason"},
        "Files that are too large or encrypted pass unless the connector blocks them.",
        "Decide whether the connector should block what it cannot scan.",
    ),
    EventKind(
        "BROWSER_CRASH",
        "browser crash",
        ("crash", "crashes", "crashing", "crashed"),
        {"BROWSER_VERSION": "version", "DEVICE_NAME": "machine", "CRASH_REASON": "reason"},
        "Crashes that gather on one version point at that version.",
        "Update the machines that run the version with the most crashes.",
    ),
    EventKind(
        "BROWSER_EXTENSION_INSTALL",
        "extension installation",
        ("installed extension", "extension installs", "installing extensions", "sideloaded"),
        {"APP_NAME": "extension", "APP_ID": "id", "EXTENSION_SOURCE": "source"},
        "Extensions from outside the web store come with other software.",
        "Block the extension by its id where it is not wanted.",
    ),
    EventKind(
        "LOGIN_FAILURE",
        "failed sign-in",
        ("failed sign in", "failed sign ins", "failed login", "failed logins", "login failures"),
        {"EVENT_REASON": "reason"},
        "Many failures for one account look like guessing or like a stale saved password.",
        "Ask the person, and reset the password if it was not them.",
    ),
    EventKind(
        "URL_FILTERING_INTERSTITIAL",
        "blocked address",
        ("blocked page", "block page", "blocked pages", "blocked addresses"),
        {"URL": "address"},
        "A blocklist of everything blocks whatever is not on the allowlist.",
        "Add the address to the allowlist if people need it.",
    ),
    EventKind(
        "CONTENT_TRANSFER",
        "content transfer",
        ("content transfer", "content transfers", "file transfers", "transfers"),
        {"TRIGGER_TYPE": "kind", "URL": "address"},
        "Most transfers are everyday work; look at who stands out.",
        "Look at the top accounts and addresses.",
    ),
    EventKind(
        "SENSITIVE_DATA_TRANSFER",
        "sensitive data transfer",
        ("sensitive data", "dlp events", "false positives"),
        {"TRIGGERED_RULES_REASON": "rule", "EVENT_RESULT": "result"},
        "A rule that people bypass again and again is too broad, or not understood.",
        "Review the rule with the most hits.",
    ),
    EventKind(
        "LOGIN_EVENT",
        "sign-in",
        ("sign ins", "logins"),
        {"IS_FEDERATED": "federated"},
    ),
)
ALL_EVENTS = EventKind("", "Chrome event", (), {"DEVICE_NAME": "machine"})
