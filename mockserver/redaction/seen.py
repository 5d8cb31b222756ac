"""What was replaced: kept in memory, shown to nobody."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import orjson
from typing_extensions import override


@dataclass(frozen=True, slots=True)
class Secret:
    """One value that was replaced. Its text never shows it.

    Attributes:
        kind: The kind of the rule that found it.
        value: As it was.
    """

    kind: str
    value: str = field(repr=False)


class Seen:
    """Every value that a redactor replaced, with its pseudonym.

    Attributes:
        changes: How often anything became known: what was redacted before is redacted again then.
    """

    def __init__(self) -> None:
        self._pseudonyms: dict[str, tuple[str, str]] = {}
        self._order: list[Secret | None] = []
        self.changes = 0

    @override
    def __repr__(self) -> str:
        return f"Seen({len(self)} secrets)"

    def __len__(self) -> int:
        return len(self._pseudonyms)

    def note(self, kind: str, value: str, pseudonym: str, *, findable: bool = True) -> bool:
        """Remember one; whether it is new.

        Args:
            kind: The kind of the rule that found it.
            value: As it was.
            pseudonym: What stands for it.
            findable: Whether it is a leak wherever it stands; a cookie `dark` is none in a text.
        """
        if value in self._pseudonyms:
            return False
        self._pseudonyms[value] = (kind, pseudonym)
        self._order.append(Secret(kind, value) if findable else None)
        self.changes += 1
        return True

    def known(self, value: str) -> tuple[str, str] | None:
        """The kind and the pseudonym of a value, where it was replaced already."""
        return self._pseudonyms.get(value)

    def change(self, kind: str, value: str, pseudonym: str) -> None:
        """Give a value another kind and pseudonym from now on."""
        self._pseudonyms[value] = (kind, pseudonym)
        self.changes += 1

    def secrets(self, start: int = 0) -> Iterator[Secret]:
        """What must not be anywhere, in the order it was seen.

        Args:
            start: What `len` was when those before were looked at.

        Yields:
            Each with its kind.
        """
        for place in range(start, len(self._order)):
            secret = self._order[place]
            if secret is not None:
                yield secret

    def pseudonyms(self) -> Iterable[str]:
        """What stands for them."""
        return (pseudonym for _, pseudonym in self._pseudonyms.values())

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """What was replaced.

        Yields:
            Kind, pseudonym, and the value as it was.
        """
        for raw, (kind, made) in self._pseudonyms.items():
            yield kind, made, raw

    def sealed(self, key: bytes) -> bytes:
        """The way back, for the owner of the key: encrypted, fit for a file."""
        return sealed_map({made: (kind, raw) for kind, made, raw in self.rows()}, key)


def sealed_map(known: Mapping[str, tuple[str, str]], key: bytes) -> bytes:
    """A map of pseudonyms to kind and value, encrypted."""
    from cryptography.fernet import Fernet

    rows = [[kind, made, raw] for made, (kind, raw) in known.items()]
    return Fernet(_fernet_key(key)).encrypt(orjson.dumps(rows))


def unsealed(sealed: bytes, key: bytes) -> dict[str, Secret]:
    """What each pseudonym of a sealed map stands for.

    Raises:
        ValueError: It was sealed with another key, or is damaged.
    """
    from cryptography.fernet import Fernet, InvalidToken

    try:
        rows = orjson.loads(Fernet(_fernet_key(key)).decrypt(sealed))
    except InvalidToken:
        raise ValueError("sealed with another key, or damaged") from None
    return {made: Secret(kind, raw) for kind, made, raw in rows}


def _fernet_key(key: bytes) -> bytes:
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    return urlsafe_b64encode(sha256(b"understudy sealed map\0" + key).digest())
