"""Finds stack traces in texts, and what two of them have in common.

Source: Error Reporting's page on the formats of stack traces. How events are grouped is not public:
here by the type of the exception and the functions on the stack, without lines and addresses.
"""

import re
from base64 import urlsafe_b64encode
from hashlib import blake2s

_STACK = re.compile(
    r"""Traceback\ \(most\ recent\ call\ last\)   # Python
    | ^[ \t]+at\ \S.*[:(]                            # Java, JavaScript, C#
    | ^goroutine\ \d+\ \[ | ^panic:\              # Go
    | :\d+:in\ [`']                               # Ruby
    | ^\#\d+\ .+\(\d+\):\ | ^PHP\ (?:Fatal|Parse) # PHP
    | panicked\ at\                               # Rust""",
    re.VERBOSE | re.MULTILINE,
)
_FRAME = re.compile(
    r"""File\ "(?P<file>[^"]+)",\ line\ \d+,\ in\ (?P<python>\S+)
    | ^[ \t]+at\ (?:async\ |new\ )?(?P<at>[\w.$<>/\[\]]+)
    | :\d+:in\ [`'](?P<ruby>[^']+)'
    | ^(?P<go>[\w./*()\-]{1,200})\([^)\n]*\)$""",
    re.VERBOSE | re.MULTILINE,
)
_HEADER = re.compile(r"^(?:Exception in thread \"[^\"]*\" |Uncaught )?([A-Za-z_][\w.$:]*)(?::|$)")
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+")
_FRAMES = 5


def has_stack(text: str) -> bool:
    """Whether a text holds a stack trace in one of the supported formats."""
    return _STACK.search(text) is not None


def group_id(project: str, message: str) -> str:
    """The group of an error: the same for errors that differ in lines, numbers and addresses only.

    >>> group_id("p", "timeout after 3 s") == group_id("p", "timeout after 5 s")
    True
    """
    text = "\n".join((project, *signature(message)))
    return "C" + urlsafe_b64encode(blake2s(text.encode(), digest_size=12).digest()).decode()[:15]


def signature(message: str) -> tuple[str, ...]:
    r"""The exception's type and the functions on the stack; without a stack the first line.

    >>> signature("TypeError: x is null\n    at pay (pay.js:3:14)")
    ('TypeError', 'pay')
    """
    frames = [" ".join(filter(None, match.groups())) for match in _FRAME.finditer(message)]
    if not frames:
        return (_VARYING.sub("N", header(message)),)
    return (_exception(message), *frames[:_FRAMES])


def header(message: str) -> str:
    """The line that says what went wrong."""
    lines = [line for line in message.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1].strip() if lines[0].startswith("Traceback ") else lines[0].strip()


def _exception(message: str) -> str:
    line = header(message)
    match = _HEADER.match(line)
    return _VARYING.sub("N", match.group(1) if match else line)
