"""The error tree of the mock server, and the base that it shares with the harness.

UserError                what a command line prints as one line
ShortageError            a process that ran out of memory, threads or descriptors; exit code 3
MockServerError          an error of the mock server; exit code 2
    FormatError          a file that cannot be read as what it should be
    InvalidFilesError         several files or entries at once, each with its place
    SessionError         a session that cannot be opened or is not there
    ReplayMissError      no recording answers a request
    ServerUnavailableError    no server answers, or it did not come up; exit code 3
    OverdueError         what a request waited for did not come in time; exit code 3
    MissingExtraError    a package that only an extra brings is not installed
    CaptureError         a capture that could not go on or cannot be saved; exit code 3
    LeakError            secrets are left in what was to be saved; exit code 1
"""

import errno
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from typing_extensions import override

_LONGEST_LINE = 2_000


def printable(text: str) -> str:
    """A message that terminals and files take, with the middle of very long lines left out.

    >>> len(printable("x" * 100_000)) < 2_100
    True
    """
    if len(text) <= _LONGEST_LINE and text.isascii():
        return text
    lines = text.encode("utf-8", "backslashreplace").decode().split("\n")
    return "\n".join(map(_shorten, lines))


def _shorten(line: str) -> str:
    left_out = len(line) - _LONGEST_LINE
    if left_out <= 0:
        return line
    half = _LONGEST_LINE // 2
    return f"{line[:half]} ... {left_out} characters ... {line[-half:]}"


_PLAINER = (
    (re.compile(r"^(Value error|Assertion failed), "), ""),
    (re.compile(r"^Field required$"), "is missing"),
    (re.compile(r"^Extra inputs are not permitted$"), "unknown field"),
    (re.compile(r"^Invalid JSON: "), "not JSON: "),
    (re.compile(r"^(JSON input|[A-Z]\w+) should "), "must "),
    (re.compile(r", (unable to parse|got a number with) .*"), ""),
    (re.compile(r" after validation"), ""),
    (re.compile(r"a valid (dictionary|mapping)\b.*"), "an object"),
    (re.compile(r"a valid (list|array|tuple|set)\b"), "a list"),
    (re.compile(r"a valid (string|text)\b"), "text"),
    (re.compile(r"a valid integer\b"), "a whole number"),
    (re.compile(r"a valid number\b"), "a number"),
    (re.compile(r"a valid boolean\b"), "true or false"),
)
"""What pydantic says of a value, and the same in plain words."""


def plain_reason(message: str) -> str:
    """What pydantic says of one value, without its own terms.

    >>> plain_reason("Input should be a valid integer, unable to parse string as an integer")
    'must be a whole number'
    >>> plain_reason("Value error, 'nope' is not one of 'a', 'b'")
    "'nope' is not one of 'a', 'b'"
    """
    for pattern, plainer in _PLAINER:
        message = pattern.sub(plainer, message)
    return message


class UserError(Exception):
    """A mistake or a condition the user can do something about.

    Attributes:
        message: What went wrong, one sentence.
        hint: What to do about it, or an empty string.
        exit_code: What the command exits with.
    """

    exit_code: int = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = printable(message)
        self.hint = printable(hint)
        super().__init__(self.message)

    @override
    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ShortageError(UserError):
    """This process ran out of something.

    Args:
        what: Of what, as `shortage_behind` says it.
    """

    exit_code = 3

    def __init__(self, what: str) -> None:
        super().__init__(
            f"this process has no {what} left", hint="give it more (ulimit -a), or do less at once"
        )


class MockServerError(UserError):
    """An error of the mock server."""


class MissingExtraError(MockServerError):
    """A package that only an extra brings is not installed.

    Args:
        need: What needs it, as the start of a sentence.
        package: The package.
        extra: The extra that brings it.
    """

    def __init__(self, need: str, package: str, extra: str) -> None:
        hint = f"pip install 'understudy[{extra}]'"
        super().__init__(f"{need} the package {package}", hint=hint)
        self.extra = extra


def require_extra(extra: str, need: str, modules: Mapping[str, str]) -> None:
    """Refuse to go on without what an extra brings; nothing is imported.

    Args:
        extra: Its name.
        need: What needs it and the verb: `captures need`.
        modules: Each module with the package that has it.

    Raises:
        MissingExtraError: One of the modules is not there.
    """
    for module, package in modules.items():
        try:
            there = find_spec(module) is not None
        except ModuleNotFoundError:  # the package around it is not there
            there = False
        if not there:
            raise MissingExtraError(need, package, extra)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in one place.

    Attributes:
        where: A file, with `:line` or `#/json/pointer` where known.
        message: What is wrong there, and what was expected.
        hint: What to do, or an empty string.
        level: `error` or `warning`.
    """

    where: str
    message: str
    hint: str = ""
    level: str = "error"

    @override
    def __str__(self) -> str:
        return self.with_message(self.message)

    def with_message(self, message: str) -> str:
        """The problem on one line, with another message."""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{self.where}: {message}{hint}")


class FormatError(MockServerError):
    """A file that cannot be read as what it should be.

    Attributes:
        where: The file, with line and column or JSON pointer where known.
        problem: The same as a problem among others.
    """

    def __init__(self, where: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"{where}: {message}", hint=hint)
        self.where = where
        self.problem = Problem(where, message, hint)


class InvalidFilesError(MockServerError):
    """Everything that is wrong in a set of files, at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class SessionError(MockServerError):
    """A session that cannot be opened or is not there.

    Attributes:
        status: The HTTP status that says the same: 400, 404, 409 or 410.
    """

    def __init__(self, message: str, *, status: int = 400, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class ServerUnavailableError(MockServerError):
    """No server answers, or it did not come up."""

    exit_code = 3


class OverdueError(MockServerError):
    """What a request waited for did not come in time: it was not done, or nobody knows."""

    exit_code = 3


class CaptureError(MockServerError):
    """A capture that could not go on, or cannot be saved; what was finished before is kept."""

    exit_code = 3


class LeakError(MockServerError):
    """Secrets are left in what was to be saved.

    Attributes:
        places: Where, and of which kind; never what.
    """

    exit_code = 1

    def __init__(self, message: str, places: Sequence[str], *, hint: str = "") -> None:
        listed = "".join(f"\n  {place}" for place in places)
        super().__init__(message + listed, hint=hint)
        self.places = tuple(places)


class ReplayMissError(MockServerError):
    """No recording answers a request.

    Attributes:
        nearest: The nearest recording, or an empty string.
        differs: The fields in which the request differs from it.
    """

    def __init__(self, reason: str, *, nearest: str = "", differs: Sequence[str] = ()) -> None:
        in_what = f" (in {', '.join(differs)})" if differs else ""
        super().__init__(reason, hint=f"nearest: {nearest}{in_what}" if nearest else "")
        self.nearest = nearest
        self.differs = tuple(differs)


OPEN_FILES = "open files"
_BY_NUMBER = {
    errno.EMFILE: OPEN_FILES,
    errno.ENFILE: OPEN_FILES,
    errno.ENOMEM: "memory",
    errno.ENOBUFS: "memory",
}
_NO_THREAD, _NOT_LOADED = "can't start new thread", "failed to map segment"
"""The only signs that Python gives of it, and the loader of a library that is loaded late."""


def shortage_behind(error: BaseException) -> str | None:
    """What was short where an error comes from: `memory`, `threads`, `open files`.

    Args:
        error: With its causes, and with what was being handled when it was raised.
    """
    return next(filter(None, map(_shortage, _chain(error))), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _shortage(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError):
        return _BY_NUMBER.get(error.errno or 0)
    if isinstance(error, ImportError):
        return "memory" if _NOT_LOADED in str(error) else None
    return "threads" if isinstance(error, RuntimeError) and _NO_THREAD in str(error) else None
