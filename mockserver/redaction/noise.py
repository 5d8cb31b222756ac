"""What a key makes of a value: digits, letters and words that only the key can make again."""

from hashlib import blake2b, sha256

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


class Noise:
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
        return f"{self.below(16**length):0{length}x}"

    def digits(self, length: int) -> str:
        """Decimal digits."""
        return f"{self.below(10**length):0{length}d}" if length > 0 else ""

    def base36(self, length: int) -> str:
        """Digits and lower-case letters."""
        return "".join(_BASE36[self.below(36)] for _ in range(length))

    def word(self, syllables: int) -> str:
        """A word that can be spoken."""
        return "".join(_SYLLABLES[self.below(len(_SYLLABLES))] for _ in range(syllables))


def noise(key: bytes, kind: str, value: str) -> Noise:
    """The noise of a value of a kind."""
    content = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
    return Noise(blake2b(content, key=key, digest_size=48).digest())


def derived(key: bytes) -> bytes:
    """A key of the right length out of one of any length."""
    return sha256(b"understudy redaction\0" + key).digest()


def key_id(key: bytes) -> str:
    """Which key it is, without telling it: eight hex digits."""
    return sha256(b"understudy key id\0" + derived(key)).hexdigest()[:8]
