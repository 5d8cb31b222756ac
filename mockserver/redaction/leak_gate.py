"""The leak gate: the secrets left in what is about to be kept, by place, never by value."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from typing_extensions import override

from mockserver.redaction.leak_known import Finding, KnownSecrets, SecretLike
from mockserver.redaction.leak_places import Places
from mockserver.redaction.leak_readings import Layer, readings
from mockserver.redaction.leak_unknown import RANDOM, Unknown
from mockserver.redaction.rules import RuleSet

UNREAD = "unread"
"""The kind of what cannot be looked into: it unpacks to too much."""

_STEP, _OVERLAP = 1 << 18, 1 << 12
"""Bytes that are searched at once: other threads wait for that long."""

_MOST = 1000
"""Places that are told; a file with more is not repaired place by place."""


class Leak(NamedTuple):
    """A secret that is left, without the secret.

    Attributes:
        where: Line and, in a cassette, interaction and part.
        kind: What kind of secret, as the rules call it.
        form: How it is coded there: `as it is`, `base64`, `escaped in gzip in base64` ...
    """

    where: str
    kind: str
    form: str

    @property
    def is_certain(self) -> bool:
        """Whether it is a secret by more than its looks."""
        return self.kind != RANDOM

    @override
    def __str__(self) -> str:
        return f"{self.where}: {self.kind} ({self.form})"


class Gate:
    """Looks through what a recorder is about to write, while the secrets become more.

    Args:
        rules: What secrets look like, and which fields hold them.
        unknown: Whether secrets that were never seen are looked for as well.
    """

    def __init__(self, rules: RuleSet, *, unknown: bool = True) -> None:
        fields: dict[str, tuple[str, ...]] = {}
        for rule in rules.rules:
            if rule.beside or rule.within or rule.keep:
                continue  # what makes it one is around its field
            names = (name.removeprefix("?") for name in rule.fields)
            fields[rule.kind] = (*fields.get(rule.kind, ()), *names)
        self._known = KnownSecrets(fields)
        self._unknown = Unknown(rules) if unknown else None

    def learn(self, secrets: Iterable[SecretLike]) -> None:
        """Add secrets that must not be in anything that is scanned from now on."""
        self._known.learn(secrets)

    def scan(self, content: bytes, where: str = "") -> tuple[Leak, ...]:
        """The secrets that are left in a content, by place; of a kind in a place the plainest form.

        Args:
            content: A file or a part of one.
            where: What is told before each place, such as `interaction 7`.
        """
        places = Places(content)
        leaks: dict[tuple[str, str], Leak] = {}
        for layer, finding in self.findings(content):
            place = places.where(layer.origin(finding.start))
            if where:
                place = f"{where}, {place}"
            leaks.setdefault(
                (place, finding.kind), Leak(place, finding.kind, form_of(layer, finding))
            )
            if len(leaks) >= _MOST:
                break
        return tuple(leaks.values())

    def knows(self, content: bytes) -> bool:
        """Whether a known secret stands in bytes as they are; no other reading is tried."""
        return any(
            next(self._known.found(Layer(content[start : start + _STEP + _OVERLAP])), None)
            for start in range(0, len(content), _STEP)
        )

    def findings(self, content: bytes) -> Iterator[tuple[Layer, Finding]]:
        """What is found in a content, in each of its readings.

        Yields:
            The reading, and the finding in it; of the kind `UNREAD` where a reading was cut.
        """
        for layer in readings(content):
            if layer.cut:
                yield layer, Finding(0, b"", UNREAD)
            for finding in self._known.found(layer):
                yield layer, finding
            if self._unknown is not None and layer.text and not layer.written_out:
                for finding in self._unknown.found(layer.content):
                    yield layer, finding


def form_of(layer: Layer, finding: Finding) -> str:
    """How a finding is coded: `as it is`, `base64`, `escaped in gzip in base64` ..."""
    return " in ".join(reversed(layer.form + finding.form)) or "as it is"


def find_leaks(
    content: bytes, secrets: Iterable[SecretLike] = (), *, rules: RuleSet, unknown: bool = True
) -> tuple[Leak, ...]:
    """The secrets that are left in a content, in all codings, by place.

    Args:
        content: A whole file: a cassette, a snapshot, a log.
        secrets: Those that were seen and must not be in it.
        rules: What secrets look like, and which fields hold them.
        unknown: Whether secrets that were never seen are looked for as well, by their patterns, by
            the plug-ins of detect-secrets, and by their randomness.
    """
    gate = Gate(rules, unknown=unknown)
    gate.learn(secrets)
    return gate.scan(content)
