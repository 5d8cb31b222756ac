"""What the agent knows about Chrome Enterprise, as data: symptom words and what they point at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Choice = tuple[tuple[str, ...], dict[str, Any]]


@dataclass(frozen=True)
class Setting:
    """A policy that people name in their own words.

    Attributes:
        title: What people call it.
        schema: The policy schema.
        words: Phrases that point at it.
        cause: What is often behind a surprise with it.
        remedy: What to do first.
        choices: For changes: phrases, and the fields they stand for; the first that is found
            counts.
    """

    title: str
    schema: str
    words: tuple[str, ...]
    cause: str
    remedy: str
    choices: tuple[Choice, ...] = ()


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


def _connector(leaf: str, title: str, words: tuple[str, ...]) -> Setting:
    return Setting(
        title=title,
        schema=f"chrome.users.{leaf}",
        words=words,
        cause="A connector only analyses content in the org unit where a provider is set.",
        remedy=f"Set a provider for {title} on the org unit that needs it, not on a sibling.",
    )


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "Safe Browsing",
        "chrome.users.SafeBrowsingProtectionLevel",
        ("safe browsing", "protection level"),
        "A level that is set higher up applies to every org unit below without its own.",
        "Change the level where it is set, or give the org unit its own.",
        (
            (("enhanced",), {"safeBrowsingProtectionLevel": "ENHANCED_PROTECTION"}),
            (("standard",), {"safeBrowsingProtectionLevel": "STANDARD_PROTECTION"}),
            (("off", "disable"), {"safeBrowsingProtectionLevel": "NO_PROTECTION"}),
        ),
    ),
    Setting(
        "incognito mode",
        "chrome.users.IncognitoMode",
        ("incognito", "private window", "private windows"),
        "An org unit with its own value ignores what is set above it.",
        "Let the org unit inherit again, or set the value you want on it.",
        (
            (("off", "disable", "forbid", "block"), {"incognitoModeAvailability": "UNAVAILABLE"}),
            (("on", "enable", "allow"), {"incognitoModeAvailability": "AVAILABLE"}),
        ),
    ),
    Setting(
        "password manager",
        "chrome.users.PasswordManager",
        ("password manager", "save passwords", "saving passwords", "saved passwords"),
        "A group policy takes precedence over the org unit of its members.",
        "Check the groups of the user before changing the org unit.",
        (
            (("off", "disable"), {"passwordManagerEnabled": False}),
            (("on", "enable", "allow"), {"passwordManagerEnabled": True}),
        ),
    ),
    Setting(
        "URL blocking",
        "chrome.users.UrlBlocking",
        ("blocklist", "allowlist", "blocked site", "site is blocked", "cannot open", "firewall"),
        "Lists of an org unit replace those of its parent; they are not merged.",
        "Add the address to the allowlist of the org unit that sets the blocklist.",
    ),
    Setting(
        "proxy settings",
        "chrome.users.ProxySettings",
        ("proxy", "pac file", "pac script"),
        "A proxy from policy wins over what the network or the user configures.",
        "Check that the proxy answers from where the users are, and fix the address if not.",
    ),
    Setting(
        "minimum TLS version",
        "chrome.users.SslVersionMin",
        ("tls", "ssl", "inspection appliance"),
        "Appliances that speak an older TLS version fail below the required minimum.",
        "Update the appliance, or lower the minimum for the org unit while you do.",
    ),
    Setting(
        "developer tools",
        "chrome.users.DeveloperTools",
        ("developer tools", "devtools"),
        "Where nothing is set, Chrome's default applies.",
        "Set the value on the org unit if the default is not what you want.",
    ),
    Setting(
        "browser updates",
        "chrome.users.ChromeBrowserUpdates",
        ("update", "updates", "updating", "pinned", "release channel"),
        "A version prefix pins browsers until it is removed.",
        "Remove the pin, or move it to the version you have tested.",
    ),
    Setting(
        "ChromeOS updates",
        "chrome.devices.AutoUpdateSettings",
        ("chromeos update", "chromeos updates", "chromeos version", "device updates"),
        "A version prefix pins devices until it is removed.",
        "Remove the prefix to let devices update.",
    ),
    Setting(
        "forced re-enrollment",
        "chrome.devices.ForcedReenrollment",
        ("re enrollment", "reenrollment", "wiped", "factory reset", "powerwash"),
        "Wiped devices leave management where re-enrollment is not forced.",
        "Force re-enrollment for the org unit, then enroll the lost devices again.",
    ),
    _connector(
        "OnFileAttachedConnectorPolicy",
        "the file upload connector",
        ("upload connector", "uploads scanned", "scanning uploads", "uploaded files"),
    ),
    _connector(
        "OnFileDownloadedConnectorPolicy",
        "the file download connector",
        ("download connector", "downloads scanned", "scanning downloads", "downloaded files"),
    ),
    _connector(
        "OnBulkTextEntryConnectorPolicy",
        "the pasted text connector",
        ("paste connector", "pasted text", "pasting", "pasted"),
    ),
    _connector(
        "OnPrintConnectorPolicy",
        "the print connector",
        ("print connector", "printing connector", "printed pages", "third party agent"),
    ),
    Setting(
        "event reporting",
        "chrome.users.OnSecurityEvent",
        ("event reporting", "reporting connector", "siem", "report events", "telemetry"),
        "Browsers report nothing where reporting is disabled, whatever happens in them.",
        "Enable reporting on the org unit, then wait for browsers to fetch the policy.",
    ),
    Setting(
        "extension installation",
        "chrome.users.apps.InstallType",
        ("force install", "force installed", "endpoint verification", "extension policy", "app id"),
        "An org unit's own install type for an extension replaces the inherited one.",
        "Compare the install types along the org units above, extension by extension.",
    ),
    Setting(
        "real-time URL checks",
        "chrome.users.RealtimeUrlCheck",
        ("real time url", "url check", "url checks"),
        "Checks are made only where they are enabled.",
        "Enable the check on the org unit.",
    ),
)

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

DLP_TRIGGERS: Mapping[str, tuple[str, ...]] = {
    "upload": ("upload", "uploads", "uploading", "uploaded"),
    "download": ("download", "downloads", "downloading"),
    "paste": ("paste", "pasting", "pasted"),
    "print": ("print", "prints", "printing", "printed", "paper"),
}
DLP_DETECTORS: Mapping[str, tuple[str, ...]] = {
    "CREDIT_CARD_NUMBER": ("card number", "card numbers", "credit card", "credit cards"),
    "IBAN_CODE": ("iban", "bank account", "bank accounts"),
    "SOURCE_CODE": ("source code",),
    "PASSPORT": ("passport", "passports"),
}
DLP_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "BLOCK": ("block", "blocks", "stop"),
    "WARN": ("warn", "warns"),
    "AUDIT": ("audit", "audits", "log only"),
}

ROUTES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("apply_change", ("apply it", "apply that", "go ahead", "make the change", "yes please")),
    ("create_rule", ("create a rule", "create a dlp rule", "add a dlp rule", "new dlp rule")),
    ("draft_change", ("draft", "propose a change", "prepare a change")),
    ("authentication", ("access token", "credentials", "unauthenticated", "scopes", "401")),
    ("tenant", ("overview", "summary of the tenant", "how big")),
    ("rules", ("dlp rule", "dlp rules", "dlp", "data loss", "rule")),
    ("enrollment", ("enroll", "enrolling", "enrollment token", "enrolls", "enrolled")),
    ("events", (*(word for kind in EVENT_KINDS for word in kind.words), "events")),
    ("settings", tuple(word for setting in SETTINGS for word in setting.words)),
    (
        "fleet",
        (
            "outdated",
            "old version",
            "old versions",
            "versions",
            "fleet",
            "stale",
            "machine",
            "machines",
            "stopped syncing",
            "inactive",
        ),
    ),
)
"""Flow, and the symptoms that lead to it; of equals the first."""
