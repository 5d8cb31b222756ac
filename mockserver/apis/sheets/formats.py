"""How typed text becomes a value of a cell, and how a value is shown by its number format.

For the locale `en_US`. Source: the guide on number formats, and recordings of the live service; not
verified are scientific notation and the rounding of numbers without a format.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from mockserver.model import Json, JsonMapping, JsonObject

_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  (sheets know no zones)
_DAY = 86400
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_PERCENT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))\s*%")
_MONEY = re.compile(r"([-+]?)\$((?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?)")
_DATES: Sequence[tuple[str, str]] = (
    ("%Y-%m-%d", "yyyy-mm-dd"),
    ("%Y/%m/%d", "yyyy/mm/dd"),
    ("%m/%d/%Y", "m/d/yyyy"),
    ("%m/%d/%y", "m/d/yy"),
    ("%B %d, %Y", "mmmm d, yyyy"),
    ("%b %d, %Y", "mmm d, yyyy"),
    ("%d %b %Y", "d mmm yyyy"),
    ("%d-%b-%Y", "d-mmm-yyyy"),
)
_TIMES: Sequence[tuple[str, str]] = (
    ("%H:%M:%S", "h:mm:ss"),
    ("%H:%M", "h:mm"),
    ("%I:%M:%S %p", "h:mm:ss am/pm"),
    ("%I:%M %p", "h:mm am/pm"),
)
_CLOCK = re.compile(r"^\d{1,2}:\d{2}(?::\d{2})?(?: [AaPp][Mm])?$")
_DATED = re.compile(r"^(?:\d{1,4}[-/ ]|[A-Z][a-z]{2,8} \d)")
_MOST_TEXT = 40

USUAL_PATTERNS = {
    "DATE": "m/d/yyyy",
    "TIME": "h:mm:ss am/pm",
    "DATE_TIME": "m/d/yyyy h:mm:ss",
    "NUMBER": "#,##0.00",
    "PERCENT": "0.00%",
    "CURRENCY": '"$"#,##0.00',
    "SCIENTIFIC": "0.00E+00",
}
"""The pattern of a type that a format gives none for."""
_CALENDAR = frozenset({"DATE", "TIME", "DATE_TIME"})


def enter_text(text: str) -> tuple[JsonObject | None, JsonObject | None]:
    """What a user's text is: an `ExtendedValue`, and the `NumberFormat` that it suggests.

    >>> enter_text("2020-01-01")
    ({'numberValue': 43831}, {'type': 'DATE', 'pattern': 'yyyy-mm-dd'})
    """
    if not text:
        return None, None
    if text.startswith("'"):
        return {"stringValue": text[1:]}, None
    if text.startswith("=") and len(text) > 1:
        return {"formulaValue": text}, None
    if text.upper() in {"TRUE", "FALSE"}:
        return {"boolValue": text.upper() == "TRUE"}, None
    if len(text) <= _MOST_TEXT:
        found = _number_of(text.strip())
        if found is not None:
            number, kind, pattern = found
            return {"numberValue": plain_number(number)}, (
                {"type": kind, "pattern": pattern} if kind else None
            )
    return {"stringValue": text}, None


def _number_of(text: str) -> tuple[float, str, str] | None:
    """A number, and the type and pattern of the format that it is written in."""
    if _NUMBER.fullmatch(text):
        scientific = "e" in text.lower()
        return float(text), *(("SCIENTIFIC", "0.00E+00") if scientific else ("", ""))
    if _GROUPED.fullmatch(text):
        pattern = "#,##0.00" if "." in text else "#,##0"
        return float(text.replace(",", "")), "NUMBER", pattern
    percent = _PERCENT.fullmatch(text)
    if percent:
        pattern = "0.00%" if "." in percent[1] else "0%"
        return round(float(percent[1]) / 100, 15), "PERCENT", pattern
    money = _MONEY.fullmatch(text)
    if money:
        pattern = '"$"#,##0.00' if "." in money[2] else '"$"#,##0'
        return float(money[1] + money[2].replace(",", "")), "CURRENCY", pattern
    return _moment_of(text)


def _moment_of(text: str) -> tuple[float, str, str] | None:
    if _CLOCK.match(text):
        found = _first_time(text, _TIMES)
        return found and (found[0] % 1, "TIME", found[1])
    if not _DATED.match(text):
        return None
    found = _first_time(text, _DATES)
    if found:
        return found[0], "DATE", found[1]
    both = [
        (f"{date}{sign}{time}", f"{pattern} {clock}")
        for date, pattern in _DATES for sign in (" ", "T") for time, clock in _TIMES
    ]  # fmt: skip
    found = _first_time(text, both) if ":" in text else None
    return found and (found[0], "DATE_TIME", found[1])


def _first_time(text: str, forms: Sequence[tuple[str, str]]) -> tuple[float, str] | None:
    for form, pattern in forms:
        try:
            return serial_of(datetime.strptime(text, form)), pattern  # noqa: DTZ007
        except ValueError:
            continue
    return None


def serial_of(moment: datetime) -> float:
    """A time as sheets keep it: days since the end of 1899."""
    passed = moment.replace(tzinfo=None) - _EPOCH
    return passed.days + (passed.seconds + passed.microseconds / 1e6) / _DAY


def moment_of(serial: float) -> datetime:
    """The time of a serial number, to the millisecond.

    Raises:
        OverflowError: There is no such day.
    """
    return _EPOCH + timedelta(milliseconds=round(serial * _DAY * 1000))


def plain_number(number: float) -> int | float:
    """A number without a fraction as an integer, as JSON writes it.

    >>> plain_number(2.0), plain_number(2.5)
    (2, 2.5)
    """
    return int(number) if float(number).is_integer() and abs(number) < 1e15 else number


def show_value(value: Json, number_format: JsonMapping | None = None) -> str:
    """A value as a sheet shows it.

    >>> [show_value(value) for value in (True, 5.0, 2.5, "x", None)]
    ['TRUE', '5', '2.5', 'x', '']
    >>> show_value(0.5, {"type": "PERCENT", "pattern": "0.0%"})
    '50.0%'
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if not isinstance(value, int | float):
        return str(value)
    kind = str((number_format or {}).get("type", ""))
    pattern = str((number_format or {}).get("pattern") or USUAL_PATTERNS.get(kind, ""))
    if not pattern or kind == "TEXT":
        return _general(value)
    if kind in _CALENDAR:
        try:
            return _show_moment(moment_of(value), pattern)
        except (OverflowError, ValueError):
            return _general(value)
    return _show_number(value, pattern)


def _general(number: float) -> str:
    if isinstance(number, int) or number.is_integer():
        return str(int(number)) if abs(number) < 1e15 else f"{number:.5E}"
    shown = f"{number:.10g}"
    return shown.replace("e", "E") if "e" in shown else shown


_MOMENT = re.compile(r'"[^"]*"|\\.|y+|m+|d+|h+|s+|\.0+|am/pm|a/p|.', re.IGNORECASE | re.DOTALL)
_CALENDAR_PARTS: dict[str, Callable[[datetime], str]] = {
    "yyyy": lambda at: f"{at.year:04}",
    "yy": lambda at: f"{at.year % 100:02}",
    "mmmm": lambda at: at.strftime("%B"),
    "mmm": lambda at: at.strftime("%b"),
    "mm": lambda at: f"{at.month:02}",
    "m": lambda at: str(at.month),
    "dddd": lambda at: at.strftime("%A"),
    "ddd": lambda at: at.strftime("%a"),
    "dd": lambda at: f"{at.day:02}",
    "d": lambda at: str(at.day),
    "ss": lambda at: f"{at.second:02}",
    "s": lambda at: str(at.second),
    "am/pm": lambda at: "AM" if at.hour < 12 else "PM",
    "a/p": lambda at: "A" if at.hour < 12 else "P",
}


def _show_moment(moment: datetime, pattern: str) -> str:
    parts = _MOMENT.findall(pattern)
    halves = any(each.lower() in {"am/pm", "a/p"} for each in parts)
    shown, after_hours = [], False
    for number, part in enumerate(parts):
        name = part.lower()
        if name in {"h", "hh"}:
            hour = (moment.hour % 12 or 12) if halves else moment.hour
            shown.append(f"{hour:0{len(name)}}")
        elif name in {"m", "mm"} and (after_hours or _seconds_follow(parts[number + 1 :])):
            shown.append(f"{moment.minute:0{len(name)}}")
        elif name in _CALENDAR_PARTS:
            shown.append(_CALENDAR_PARTS[name](moment))
        elif re.fullmatch(r"\.0+", name):
            shown.append(f".{moment.microsecond:06}"[: len(name)])
        else:
            shown.append(_literal(part))
        if name[:1] in "hmsdy":
            after_hours = name.startswith("h")
    return "".join(shown)


def _seconds_follow(parts: Sequence[str]) -> bool:
    return next((each.lower()[0] for each in parts if each[0].isalpha()), "") == "s"


def _literal(part: str) -> str:
    if part.startswith('"') and part.endswith('"') and len(part) > 1:
        return part[1:-1]
    return part[1:] if part.startswith("\\") else part


_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(?:[eE][+-]?0+)?|\.[#0?]+")
_PIECE = re.compile(r'"[^"]*"|\\.|_.|\*.|[#0?.,][#0?,.]*(?:[eE][+-]?0+)?|.', re.DOTALL)
_COLOUR = re.compile(r"\[[^\]]*\]")


@lru_cache(512)
def _sections(pattern: str) -> tuple[tuple[str, ...], ...]:
    """The parts of each section of a pattern: for positive numbers, negative ones, and zero."""
    found: list[list[str]] = [[]]
    for part in _PIECE.findall(_COLOUR.sub("", pattern)):
        if part == ";":
            found.append([])
        else:
            found[-1].append(part)
    return tuple(map(tuple, found))


def _show_number(number: float, pattern: str) -> str:
    sections = _sections(pattern)
    chosen, negative = sections[0], number < 0
    if negative and len(sections) > 1:
        chosen, negative = sections[1], False
    elif number == 0 and len(sections) > 2:
        chosen = sections[2]
    size = abs(number) * 100 ** chosen.count("%")
    shown = "".join(
        _show_digits(size, part) if _DIGITS.fullmatch(part) else _filler(part) for part in chosen
    )
    return f"-{shown}" if negative else shown


def _filler(part: str) -> str:
    if part[0] in "_*" and len(part) == 2:
        return " " if part[0] == "_" else ""
    return _literal(part)


def _show_digits(size: float, part: str) -> str:
    mantissa, exponent = part, ""
    found = re.search(r"[eE]([+-]?)(0+)$", part)
    if found:
        mantissa = part[: found.start()]
        power = 0 if size == 0 else int(f"{size:e}".partition("e")[2])
        size /= 10.0**power
        sign = "-" if power < 0 else ("+" if found[1] == "+" else "")
        exponent = f"E{sign}{abs(power):0{len(found[2])}}"
    whole, _, fraction = mantissa.partition(".")
    needed = fraction.rstrip("#?").count("0")
    text = f"{size:{',' if ',' in whole else ''}.{len(fraction)}f}"
    left, dot, right = text.partition(".")
    while len(right) > needed and right.endswith("0"):
        right = right[:-1]
    least = whole.replace(",", "").count("0")
    left = left.zfill(least) if least > 1 else left if least or left != "0" else ""
    return f"{left}{dot if right else ''}{right}{exponent}"
