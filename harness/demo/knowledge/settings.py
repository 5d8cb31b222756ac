"""Policies that people name in their own words."""

from dataclasses import dataclass
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
            (("off", "disable"), {"passwordManagerEnabled": "FALSE"}),
            (("on", "enable", "allow"), {"passwordManagerEnabled": "TRUE"}),
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
        "chrome.users.SimpleProxySettings",
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
        "OnPrintAnalysisConnectorPolicy",
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
