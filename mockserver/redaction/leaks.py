"""The leak gate: the secrets left in what is about to be kept, by place, never by value."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from typing_extensions import override

from mockserver.redaction.leakplaces import Places
from mockserver.redaction.leakreadings import readings
from mockserver.redaction.leaksearch import Known, Searches
from mockserver.redaction.leakunknown import Unknown
from mockserver.redaction.rules import RuleSet

UNREAD = "unread"
"""The kind of what cannot be looked into: it unpacks to too much."""

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

    @override
    def __str__(self) -> str:
        return f"{self.where}: {self.kind} ({self.form})"


class SecretLike(Protocol):
    """A secret with what it is."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def value(self) -> str:
        """As it was before it was replaced."""


class Gate:
    """Looks through what a recorder is about to write, while the secrets become more.

    Args:
        rules: What secrets look like, and which fields hold them.
        unknown: Whether secrets that were never seen are looked for as well.
    """

    def __init__(self, rules: RuleSet, *, unknown: bool = True) -> None:
        fields: dict[str, tuple[str, ...]] = {}
        for rule in rules.rules:
            if rule.beside:
                continue  # what makes it one is around its field
            names = (name.removeprefix("?") for name in rule.fields)
            fields[rule.kind] = (*fields.get(rule.kind, ()), *names)
        self._known = Searches(fields)
        self._unknown = Unknown(rules) if unknown else None

    def learn(self, secrets: Iterable[SecretLike]) -> None:
        """Add secrets that must not be in anything that is scanned from now on."""
        self._known.learn(Known(secret.kind, secret.value) for secret in secrets)

    def scan(self, content: bytes, where: str = "") -> tuple[Leak, ...]:
        """The secrets that are left in a content, by place; of a kind in a place the plainest form.

        Args:
            content: A file or a part of one.
            where: What is told before each place, such as `interaction 7`.
        """
        places = Places(content)
        leaks: dict[tuple[str, str], Leak] = {}
        for offset, kind, form in self._found(content):
            place = places.where(offset)
            if where:
                place = f"{where}, {place}"
            told = " in ".join(reversed(form)) or "as it is"
            leaks.setdefault((place, kind), Leak(place, kind, told))
            if len(leaks) >= _MOST:
                break
        return tuple(leaks.values())

    def _found(self, content: bytes) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        for layer in readings(content):
            if layer.cut:
                yield layer.origin(0), UNREAD, layer.form
            for offset, kind, form in self._known.found(layer):
                yield layer.origin(offset), kind, layer.form + form
            if self._unknown is not None and layer.text:
                for offset, kind in self._unknown.found(layer.content):
                    yield layer.origin(offset), kind, layer.form


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
