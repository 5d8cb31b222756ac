"""A file of results as untrusted input: bounded, and read only as far as its format asks."""

import hashlib
import io
import struct
import zipfile
import zlib
from functools import cached_property
from pathlib import Path

from pydantic_core import from_json

from harness.errors import HarnessError, reason_of
from harness.model import Json

LARGEST_FILE = 512 << 20
"""Bytes of a file."""
LARGEST_UNPACKED = 2 << 30
"""Bytes of everything that is read from an archive."""
ZIP_MAGIC = b"PK\x03\x04"
PARQUET_MAGIC = b"PAR1"
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")


class SourceFile:
    """A file of results.

    Attributes:
        name: Its name, without folders.
        path: As it was named, for messages.
        content: All of it.
    """

    def __init__(self, path: Path) -> None:
        """Read a file.

        Raises:
            HarnessError: It cannot be read, is empty or is too large.
        """
        self.path, self.name = path, path.name
        try:
            # read with a limit, a file would take the memory of the limit
            is_large = path.stat().st_size > LARGEST_FILE
            self.content = b"" if is_large else path.read_bytes()
        except OSError as error:
            raise HarnessError(f"cannot read {str(path)!r}: {reason_of(error)}") from None
        if is_large:
            raise self.error(f"is larger than {LARGEST_FILE >> 20} MiB")
        if not self.content.strip():
            raise self.error("is empty")

    def error(self, what: str, hint: str = "") -> HarnessError:
        """An error about this file."""
        return HarnessError(f"{str(self.path)!r} {what}", hint=hint)

    @property
    def digest(self) -> str:
        """SHA-256 of its content, hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def looks_like_json(self) -> bool:
        """Whether it begins as a JSON object does."""
        return self.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"

    @cached_property
    def json(self) -> Json:
        """Its value as JSON; infinities and not-a-number, which some tools write, are read.

        Raises:
            HarnessError: It is no JSON.
        """
        return self.parse_json(self.content.removeprefix(b"\xef\xbb\xbf"))

    def parse_json(self, content: bytes, inside: str = "") -> Json:
        """The value of JSON that stands in the file.

        Raises:
            HarnessError: It is no JSON.
        """
        try:
            return from_json(content, allow_inf_nan=True, cache_strings="keys")
        except ValueError as error:
            where = f" ({inside})" if inside else ""
            said = f"is not valid JSON{where}: {error}"
            raise self.error(said, "was it written to its end?") from None

    @cached_property
    def text(self) -> str:
        """Its text.

        Raises:
            HarnessError: It is no UTF-8.
        """
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.error(f"is not UTF-8 text (byte {error.start})") from None

    @cached_property
    def archive(self) -> "Archive":
        """Its members, where it is a ZIP file.

        Raises:
            HarnessError: It is none, or broken.
        """
        try:
            return Archive(self, zipfile.ZipFile(io.BytesIO(self.content)))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self.error(
                f"is a broken ZIP file: {error}", "was it written to its end?"
            ) from None


class Archive:
    """The members of a ZIP file, unpacked with a limit on all of them together."""

    def __init__(self, source: SourceFile, opened: zipfile.ZipFile) -> None:
        self._source = source
        self._opened = opened
        self._left = LARGEST_UNPACKED

    @property
    def names(self) -> list[str]:
        """The names of its members, in order."""
        return self._opened.namelist()

    def read(self, name: str) -> bytes:
        """The content of a member.

        Raises:
            HarnessError: It is broken, packed in an unknown way, or unpacks to too much.
        """
        info = self._opened.getinfo(name)
        try:
            if info.compress_type == _ZSTANDARD:
                content = self._read_zstandard(info)
            else:
                with self._opened.open(info) as member:
                    content = member.read(self._left + 1)
        except HarnessError:
            raise
        except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError,
                NotImplementedError, RuntimeError, struct.error) as error:  # fmt: skip
            raise self._source.error(f"has a broken member {name!r}: {error}") from None
        self._left -= len(content)
        if self._left < 0:
            raise self._source.error(f"unpacks to more than {LARGEST_UNPACKED >> 20} MiB")
        return content

    def _read_zstandard(self, info: zipfile.ZipInfo) -> bytes:
        """A member that is packed by Zstandard, which Python's own module does not know."""
        try:
            import zstandard
        except ModuleNotFoundError:
            hint = "pip install 'understudy[results]'"
            raise self._source.error("is packed by Zstandard", hint) from None
        content = self._source.content
        name, extra = _LOCAL_HEADER.unpack_from(content, info.header_offset)
        start = info.header_offset + _LOCAL_HEADER.size + name + extra
        packed = content[start : start + info.compress_size]
        try:
            with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
                found: bytes = reader.read(self._left + 1)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if zlib.crc32(found) != info.CRC and len(found) <= self._left:
            raise ValueError("its checksum is wrong")
        return found
