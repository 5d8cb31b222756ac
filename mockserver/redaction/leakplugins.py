"""The plug-ins of detect-secrets, used as a library: what the vendors of tokens give away."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import re2

_PLUGINS = (
    ("artifactory", "ArtifactoryDetector"), ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"), ("basic_auth", "BasicAuthDetector"),
    ("cloudant", "CloudantDetector"), ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"), ("gitlab_token", "GitLabTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"), ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("jwt", "JwtTokenDetector"), ("mailchimp", "MailchimpDetector"), ("npm", "NpmDetector"),
    ("openai", "OpenAIDetector"), ("private_key", "PrivateKeyDetector"),
    ("pypi_token", "PypiTokenDetector"), ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"), ("softlayer", "SoftlayerDetector"),
    ("square_oauth", "SquareOAuthDetector"), ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"), ("twilio", "TwilioKeyDetector"),
)  # fmt: skip
"""Modules and classes; those that guess by words or by numbers of a network are our own rules'."""

_SIGNS = (
    rb"AKC[a-zA-Z0-9]{10}|(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{12}|AccountKey|://[^\s/]{1,80}@"
    rb"|[Cc]loudant|[MNO][\w-]{23,25}\.[\w-]{6}\.|gh[pousr]_|glpat-|gl[a-z]{1,6}-[A-Za-z0-9_]{16}"
    rb"|GR1348941|[Bb]luemix|[Ii][Bb][Mm][_-]|\beyJ|[0-9a-z]{32}-us[0-9]|_authToken|T3BlbkFJ"
    rb"|BEGIN [A-Z ]{0,40}PRIVATE|PuTTY-User|pypi-AgE|SG\.[\w-]{20}|xox[a-z]-|hooks\.slack"
    rb"|[Ss]oft-?[Ll]ayer|sq0csp|[rs]k_live|\d{8,10}:[0-9A-Za-z_-]{35}|(?:AC|SK)[a-z0-9]{32}"
)
"""Something of this is in every text that a plug-in finds anything in."""

_AROUND = 400


@cache
def _signs() -> "re2._Regexp":
    import re2

    return re2.compile(_SIGNS)


class _Plugin(Protocol):
    secret_type: str

    def analyze_string(self, string: str) -> Iterator[str]: ...


@cache
def _plugins() -> tuple[_Plugin, ...]:
    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        for module, name in _PLUGINS
    )


def vendor_secrets(content: bytes) -> Iterator[tuple[int, bytes, str]]:
    """Where a plug-in finds something in a text, what, and its kind.

    >>> [(at, kind) for at, _, kind in vendor_secrets(b"key: AKIA" + b"IOSFODNN7EXAMPLE")]
    [(5, 'aws_access_key')]

    Yields:
        Offset, text and kind.
    """
    for sign in _signs().finditer(content):
        start = max(content.rfind(b"\n", 0, sign.start()) + 1, sign.start() - _AROUND)
        end = content.find(b"\n", sign.end(), sign.end() + _AROUND)
        line = content[start : end if end >= 0 else sign.end() + _AROUND]
        yield from _in_line(line, start)


def _in_line(line: bytes, start: int) -> Iterator[tuple[int, bytes, str]]:
    text = line.decode("utf-8", "replace")
    for plugin in _plugins():
        for found in plugin.analyze_string(text):
            secret = found.encode("utf-8", "replace")
            at = line.find(secret)
            if secret and at >= 0:
                yield start + at, secret, plugin.secret_type.lower().replace(" ", "_")
