"""The functions that formulas may use, by their names."""

import math
import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import translate
from functools import lru_cache, partial
from statistics import StatisticsError, median, mode, pstdev, pvariance, stdev, variance
from typing import Any

from mockserver.apis.sheets.formats import moment_of, plain_number, serial_of, show_value
from mockserver.apis.sheets.formulas import (
    DIV_ERROR,
    NA_ERROR,
    NUM_ERROR,
    REF_ERROR,
    VALUE_ERROR,
    Argument,
    Cells,
    FormulaError,
    RaisedError,
    Value,
    compare,
    joined_text,
    number_of,
    single,
)

Function = Callable[..., Argument]


def _cells_of(argument: Argument) -> Cells:
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        return argument
    return [[argument]]


def _values_of(arguments: Sequence[Argument]) -> Iterator[Value]:
    for argument in arguments:
        for line in _cells_of(argument):
            yield from line


def _numbers_of(arguments: Sequence[Argument]) -> list[float]:
    """Numbers among the arguments; texts in cells do not count, texts that are given do."""
    found = []
    for argument in arguments:
        given = not isinstance(argument, Sequence) or isinstance(argument, str)
        for value in _values_of([argument]):
            if isinstance(value, FormulaError):
                raise RaisedError(value)
            if isinstance(value, int | float) and (given or not isinstance(value, bool)):
                found.append(float(value))
            elif isinstance(value, str) and given:
                found.append(number_of(value))
    return found


def _over_numbers(function: Callable[[list[float]], float], empty: Value = 0) -> Function:
    def answer(*arguments: Argument) -> Value:
        numbers = _numbers_of(arguments)
        return plain_number(function(numbers)) if numbers else empty

    return answer


def _of_number(function: Callable[..., float]) -> Function:
    return lambda *given: plain_number(function(*(number_of(single(each)) for each in given)))


def _of_text(function: Callable[[str], Value]) -> Function:
    return lambda given: function(_text(given))


def _text(given: Argument) -> str:
    value = single(given)
    if isinstance(value, FormulaError):
        raise RaisedError(value)
    return show_value(value)


def _is_true(given: Argument) -> bool:
    value = single(given)
    if isinstance(value, str):
        if value.upper() in {"TRUE", "FALSE"}:
            return value.upper() == "TRUE"
        raise RaisedError(VALUE_ERROR)
    return bool(number_of(value))


def _rounded(direction: Callable[[float], float]) -> Function:
    def answer(number: Argument, places: Argument = 0) -> Value:
        size, power = number_of(single(number)), 10.0 ** int(number_of(single(places)))
        shifted = round(abs(size) * power, 9)
        return plain_number(math.copysign(direction(shifted) / power, size))

    return answer


def _choose(condition: Argument, then: Argument = None, other: Argument = 0) -> Argument:
    return then if _is_true(condition) else other


def _choose_first(*arguments: Argument) -> Argument:
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    return next((value for condition, value in pairs if _is_true(condition)), NA_ERROR)


def _without_error(value: Argument, other: Argument = None) -> Argument:
    return other if isinstance(single(value), FormulaError) else value


_CRITERION = re.compile(r"^(<=|>=|<>|[=<>])?(.*)$", re.DOTALL)


def _criterion(given: Argument) -> Callable[[Value], bool]:
    """The test of `COUNTIF` and its like: `">5"`, `"a*"`, a value."""
    value = single(given)
    if not isinstance(value, str):
        return lambda each: each is not None and compare("=", each, value) is True
    found = _CRITERION.match(value)
    sign, text = (found[1] or "=", found[2]) if found else ("=", value)
    try:
        number = float(text)
    except ValueError:
        pattern = re.compile(translate(text), re.IGNORECASE)
        if sign in {"=", "<>"}:
            wanted = sign == "="
            return lambda each: bool(pattern.match(_display(each))) is wanted
        return lambda each: isinstance(each, str) and compare(sign, each, text) is True
    return lambda each: (
        (isinstance(each, int | float) and compare(sign, each, number) is True)
        or (sign == "<>" and not isinstance(each, int | float))
    )


def _display(value: Value) -> str:
    return value.text if isinstance(value, FormulaError) else show_value(value)


def _matches(arguments: Sequence[Argument]) -> list[bool]:
    """Which cells meet all criteria of ranges: `range, criterion, range, criterion ...`."""
    found: list[bool] = []
    for cells, criterion in zip(arguments[::2], arguments[1::2], strict=True):
        test = _criterion(criterion)
        met = [test(value) for value in _values_of([cells])]
        found = [a and b for a, b in zip(found, met, strict=True)] if found else met
    return found


def _picked(cells: Argument, met: Sequence[bool]) -> list[float]:
    pairs = zip(_values_of([cells]), met, strict=False)
    return [
        float(value) for value, is_met in pairs
        if is_met and isinstance(value, int | float) and not isinstance(value, bool)
    ]  # fmt: skip


def _sum_if(cells: Argument, criterion: Argument, summed: Argument = None) -> Value:
    chosen = _picked(cells if summed is None else summed, _matches([cells, criterion]))
    return plain_number(sum(chosen))


def _average(numbers: list[float]) -> Value:
    return plain_number(sum(numbers) / len(numbers)) if numbers else DIV_ERROR


def _average_if(cells: Argument, criterion: Argument, averaged: Argument = None) -> Value:
    return _average(_picked(cells if averaged is None else averaged, _matches([cells, criterion])))


def _look_up(key: Argument, cells: Argument, column: Argument, is_sorted: Argument = 1) -> Value:
    """Answers VLOOKUP."""
    wanted, index = single(key), int(number_of(single(column))) - 1
    rows = _cells_of(cells)
    if index < 0:
        return VALUE_ERROR
    if rows and index >= len(rows[0]):
        return REF_ERROR
    row = _position(wanted, [line[0] for line in rows], 1 if _is_true(is_sorted) else 0)
    return NA_ERROR if row is None else rows[row][index]


def _position(wanted: Value, values: Sequence[Value], way: int) -> int | None:
    """Where a value is: exactly (0), or the last that is not greater (1) or smaller (-1)."""
    sign = {0: "=", 1: "<=", -1: ">="}[way]
    found = None
    for number, value in enumerate(values):
        if value is not None and compare(sign, value, wanted) is True:
            if way == 0:
                return number
            found = number
        elif way:
            break
    return found


def _match(key: Argument, cells: Argument, way: Argument = 1) -> Value:
    how = number_of(single(way))
    found = _position(single(key), list(_values_of([cells])), (how > 0) - (how < 0))
    return NA_ERROR if found is None else found + 1


def _index(cells: Argument, row: Argument = 1, column: Argument = 1) -> Argument:
    rows = _cells_of(cells)
    down, across = (int(number_of(single(each))) for each in (row, column))
    if len(rows) == 1 and column == 1 and down > 1:
        down, across = 1, down
    if down > len(rows) or across > max(map(len, rows), default=0) or min(down, across) < 0:
        return REF_ERROR
    return rows[max(down, 1) - 1][max(across, 1) - 1]


def _middle(text: Argument, start: Argument, count: Argument) -> Value:
    first, length = (int(number_of(single(each))) for each in (start, count))
    return VALUE_ERROR if first < 1 or length < 0 else _text(text)[first - 1 : first - 1 + length]


def _join(sign: Argument, *arguments: Argument) -> Value:
    return _text(sign).join(_display(each) for each in _values_of(arguments))


def _find(sought: Argument, text: Argument, start: Argument = 1) -> Value:
    place = _text(text).find(_text(sought), int(number_of(single(start))) - 1)
    return VALUE_ERROR if place < 0 else place + 1


def _as_text(value: Argument, pattern: Argument) -> Value:
    text, given = _text(pattern), single(value)
    kind = "DATE_TIME" if re.search(r"[ydhs]", text) else "NUMBER"
    return _display(given) if isinstance(given, str) else show_value(
        number_of(given), {"type": kind, "pattern": text}
    )  # fmt: skip


def _date(year: Argument, month: Argument, day: Argument) -> Value:
    years, months, days = (int(number_of(single(each))) for each in (year, month, day))
    years, months = years + (months - 1) // 12, (months - 1) % 12 + 1
    first = datetime(years + 1900 if years < 1900 else years, months, 1)  # noqa: DTZ001
    return plain_number(serial_of(first) + days - 1)


def _of_moment(part: Callable[[datetime], int]) -> Function:
    return lambda given: part(moment_of(number_of(single(given))))


def _spread(function: Callable[[list[float]], float], least: int) -> Function:
    """A measure of how far numbers are from each other, of which it needs some."""

    def answer(*arguments: Argument) -> Value:
        numbers = _numbers_of(arguments)
        return plain_number(function(numbers)) if len(numbers) >= least else DIV_ERROR

    return answer


def _mode(*arguments: Argument) -> Value:
    numbers = _numbers_of(arguments)
    try:
        found = mode(numbers)
    except StatisticsError:
        return NA_ERROR
    return plain_number(found) if numbers.count(found) > 1 else NA_ERROR


def _nth(cells: Argument, place: Argument, *, is_down: bool) -> Value:
    numbers, number = sorted(_numbers_of([cells]), reverse=is_down), int(number_of(single(place)))
    return plain_number(numbers[number - 1]) if 1 <= number <= len(numbers) else NUM_ERROR


def _rank(value: Argument, cells: Argument, is_up: Argument = 0) -> Value:
    number, numbers = number_of(single(value)), _numbers_of([cells])
    if number not in numbers:
        return NA_ERROR
    return 1 + sum(each < number if _is_true(is_up) else each > number for each in numbers)


def _percentile(cells: Argument, share: Argument, parts: float = 1) -> Value:
    numbers, at = sorted(_numbers_of([cells])), number_of(single(share)) / parts
    if not numbers or not 0 <= at <= 1:
        return NUM_ERROR
    place = at * (len(numbers) - 1)
    low, high = numbers[math.floor(place)], numbers[math.ceil(place)]
    return plain_number(low + (high - low) * (place - math.floor(place)))


def _sum_products(*arguments: Argument) -> Value:
    columns = [list(_values_of([each])) for each in arguments]
    if len({len(each) for each in columns}) != 1:
        return VALUE_ERROR
    rows = zip(*columns, strict=True)
    return plain_number(math.fsum(math.prod(map(_number_or_zero, row)) for row in rows))


def _number_or_zero(value: Value) -> float:
    if isinstance(value, FormulaError):
        raise RaisedError(value)
    return 0.0 if isinstance(value, str | bool) or value is None else float(value)


def _of_picked(function: Callable[[list[float]], Value]) -> Function:
    return lambda cells, *given: function(_picked(cells, _matches(given)))


def _to_multiple(direction: Callable[[float], float]) -> Function:
    def answer(number: Argument, step: Argument = 1) -> Value:
        size, of = number_of(single(number)), number_of(single(step))
        if size > 0 > of:
            return NUM_ERROR
        return plain_number(round(direction(round(size / of, 9)) * of, 9)) if of else 0

    return answer


def _whole(function: Callable[..., int]) -> Function:
    """A function of whole numbers that are not negative."""

    def answer(*arguments: Argument) -> Value:
        numbers = [int(each) for each in _numbers_of(arguments)]
        if any(not 0 <= each <= _MOST_WHOLE for each in numbers):
            return NUM_ERROR
        return plain_number(float(function(*numbers)))

    return answer


_MOST_WHOLE = 10**6
_MOST_OF_FACTORIAL = 170


def _factorial(number: int) -> int:
    if number > _MOST_OF_FACTORIAL:
        raise RaisedError(NUM_ERROR)
    return math.factorial(number)


def _combinations(number: int, of: int) -> int:
    if of > number or min(of, number - of) > _MOST_OF_FACTORIAL:
        raise RaisedError(NUM_ERROR)
    return math.comb(number, of)


def _switch(given: Argument, *cases: Argument) -> Argument:
    value = single(given)
    for case, then in zip(cases[::2], cases[1::2], strict=False):
        if compare("=", value, single(case)) is True:
            return then
    return cases[-1] if len(cases) % 2 else NA_ERROR


def _choose_nth(place: Argument, *several: Argument) -> Argument:
    number = int(number_of(single(place)))
    return several[number - 1] if 1 <= number <= len(several) else NUM_ERROR


def _unless_missing(value: Argument, other: Argument = None) -> Argument:
    return other if single(value) == NA_ERROR else value


def _is_parity(rest: int) -> Function:
    return lambda given: int(abs(number_of(single(given)))) % 2 == rest


def _search(sought: Argument, text: Argument, start: Argument = 1) -> Value:
    return _find(_text(sought).casefold(), _text(text).casefold(), start)


def _join_some(sign: Argument, is_short: Argument, *arguments: Argument) -> Value:
    several = (_display(each) for each in _values_of(arguments))
    leaves_out = _is_true(is_short)
    return _text(sign).join(each for each in several if each or not leaves_out)


def _replace_part(text: Argument, start: Argument, count: Argument, new: Argument) -> Value:
    first, length = (int(number_of(single(each))) for each in (start, count))
    if first < 1 or length < 0:
        return VALUE_ERROR
    old = _text(text)
    return old[: first - 1] + _text(new) + old[first - 1 + length :]


@lru_cache(256)
def _expression(pattern: str) -> Any:
    """A regular expression, as the live service's: without steps back, so in linear time."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        raise RaisedError(REF_ERROR) from None


def _extract(text: Argument, pattern: Argument) -> Value:
    found = _expression(_text(pattern)).search(_text(text))
    if found is None:
        return NA_ERROR
    return str(found.group(1 if found.re.groups else 0) or "")


def _replace_all(text: Argument, pattern: Argument, new: Argument) -> Value:
    expression = _expression(_text(pattern))
    into = re.sub(r"\$(\d)", r"\\\1", _text(new).replace("\\", r"\\"))
    try:
        return str(expression.sub(into, _text(text)))
    except IndexError:  # a group that the expression does not have
        return REF_ERROR


def _look_along(key: Argument, cells: Argument, row: Argument, is_sorted: Argument = 1) -> Value:
    """Answers HLOOKUP."""
    return _look_up(key, list(zip(*_cells_of(cells), strict=True)), row, is_sorted)


def _look_beside(
    key: Argument, cells: Argument, answers: Argument, missing: Argument = NA_ERROR
) -> Argument:
    """Answers XLOOKUP with an exact match, the first from above."""
    place = _position(single(key), list(_values_of([cells])), 0)
    return missing if place is None else _at(answers, place)


def _look_in(key: Argument, cells: Argument, answers: Argument = None) -> Value:
    """Answers LOOKUP."""
    place = _position(single(key), list(_values_of([cells])), 1)
    if place is None:
        return NA_ERROR
    return _at(cells if answers is None else answers, place)


def _at(cells: Argument, place: int) -> Value:
    """The value at a place; an error where there are fewer."""
    values = list(_values_of([cells]))
    return values[place] if place < len(values) else REF_ERROR


def _moment(given: Argument) -> datetime:
    return moment_of(number_of(single(given)))


def _in_months(given: Argument, months: Argument, *, is_end: bool) -> Value:
    at = _moment(given)
    years, month = divmod(at.year * 12 + at.month - 1 + int(number_of(single(months))), 12)
    last = monthrange(years, month + 1)[1]
    return plain_number(
        serial_of(datetime(years, month + 1, last if is_end else min(at.day, last)))  # noqa: DTZ001
    )


def _passed(start: Argument, end: Argument, unit: Argument) -> Value:
    """Answers DATEDIF."""
    first, last = _moment(start), _moment(end)
    if first > last:
        return NUM_ERROR
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    known = {"D": (last - first).days, "M": months, "Y": months // 12, "YM": months % 12}
    return known.get(_text(unit).upper(), NUM_ERROR)


def _working_days(start: Argument, end: Argument, holidays: Argument = None) -> Value:
    first, last = _moment(start), _moment(end)
    free = {moment_of(each).date() for each in _numbers_of([_cells_of(holidays)])}
    low, high = min(first, last), max(first, last)
    if (high - low).days > _MOST_WHOLE // 10:
        return NUM_ERROR
    several = (low.date() + timedelta(days) for days in range((high - low).days + 1))
    count = sum(day.weekday() < 5 and day not in free for day in several)
    return count if first <= last else -count


def _week_of(at: datetime) -> int:
    """The week of the year, of weeks that begin on Sundays."""
    first = at.replace(month=1, day=1).isoweekday() % 7
    return (at.timetuple().tm_yday + first + 6) // 7


def _time(hour: Argument, minute: Argument, second: Argument) -> Value:
    hours, minutes, seconds = (int(number_of(single(each))) for each in (hour, minute, second))
    return (hours * 3600 + minutes * 60 + seconds) % 86_400 / 86_400


def _has(kind: type | tuple[type, ...]) -> Function:
    return lambda given: isinstance(single(given), kind)


def _hyperlink(url: Argument, label: Argument = None) -> Value:
    return _text(url) if label is None else single(label)


FUNCTIONS: Mapping[str, Function] = {
    "SUM": _over_numbers(math.fsum),
    "PRODUCT": _over_numbers(math.prod),
    "MIN": _over_numbers(min),
    "MAX": _over_numbers(max),
    "MEDIAN": _over_numbers(median, FormulaError("#NUM!")),
    "AVERAGE": lambda *given: _average(_numbers_of(given)),
    "COUNT": lambda *given: len(_numbers_of([_cells_of(each) for each in given])),
    "COUNTA": lambda *given: sum(each is not None for each in _values_of(given)),
    "COUNTBLANK": lambda *given: sum(each in {None, ""} for each in _values_of(given)),
    "COUNTIF": lambda *given: sum(_matches(given[:2])),
    "COUNTIFS": lambda *given: sum(_matches(given)),
    "SUMIF": _sum_if,
    "SUMIFS": lambda summed, *given: plain_number(sum(_picked(summed, _matches(given)))),
    "AVERAGEIF": _average_if,
    "ABS": _of_number(abs),
    "INT": _of_number(math.floor),
    "SQRT": _of_number(math.sqrt),
    "EXP": _of_number(math.exp),
    "LN": _of_number(math.log),
    "LOG10": _of_number(math.log10),
    "MOD": _of_number(lambda one, other: one - other * math.floor(one / other)),
    "POWER": _of_number(lambda one, other: one**other),
    "PI": lambda: math.pi,
    "ROUND": _rounded(lambda size: math.floor(size + 0.5)),
    "ROUNDUP": _rounded(math.ceil),
    "ROUNDDOWN": _rounded(math.floor),
    "TRUNC": _rounded(math.floor),
    "IF": _choose,
    "IFS": _choose_first,
    "IFERROR": _without_error,
    "AND": lambda *given: all(_is_true(each) for each in _values_of(given) if each is not None),
    "OR": lambda *given: any(_is_true(each) for each in _values_of(given) if each is not None),
    "NOT": lambda given: not _is_true(given),
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "CONCATENATE": lambda *given: joined_text(list(_values_of(given))),
    "CONCAT": lambda one, other: joined_text([single(one), single(other)]),
    "JOIN": _join,
    "LEN": _of_text(len),
    "UPPER": _of_text(str.upper),
    "LOWER": _of_text(str.lower),
    "PROPER": _of_text(str.title),
    "TRIM": _of_text(lambda text: " ".join(text.split())),
    "LEFT": lambda text, count=1: _text(text)[: int(number_of(single(count)))],
    "RIGHT": lambda text, count=1: _text(text)[
        -int(number_of(single(count))) or len(_text(text)) :
    ],
    "MID": _middle,
    "FIND": _find,
    "SUBSTITUTE": lambda text, old, new: _text(text).replace(_text(old), _text(new)),
    "REPT": lambda text, count: _text(text) * min(int(number_of(single(count))), 32_000),
    "VALUE": _of_number(lambda number: number),
    "TEXT": _as_text,
    "VLOOKUP": _look_up,
    "MATCH": _match,
    "INDEX": _index,
    "ROWS": lambda cells: len(_cells_of(cells)),
    "COLUMNS": lambda cells: max(map(len, _cells_of(cells)), default=0),
    "DATE": _date,
    "YEAR": _of_moment(lambda at: at.year),
    "MONTH": _of_moment(lambda at: at.month),
    "DAY": _of_moment(lambda at: at.day),
    "WEEKDAY": _of_moment(lambda at: at.isoweekday() % 7 + 1),
    "ISBLANK": lambda given: single(given) is None,
    "ISNUMBER": lambda given: _has((int, float))(given) and not _has(bool)(given),
    "ISTEXT": _has(str),
    "ISERROR": _has(FormulaError),
    "NA": lambda: NA_ERROR,
    "ISNA": lambda given: single(given) == NA_ERROR,
    "ISERR": lambda given: _has(FormulaError)(given) and single(given) != NA_ERROR,
    "ISLOGICAL": _has(bool),
    "ISNONTEXT": lambda given: not _has(str)(given),
    "ISEVEN": _is_parity(0),
    "ISODD": _is_parity(1),
    "SUMSQ": _over_numbers(lambda numbers: math.fsum(each * each for each in numbers)),
    "SUMPRODUCT": _sum_products,
    "AVERAGEIFS": _of_picked(_average),
    "MAXIFS": _of_picked(lambda numbers: plain_number(max(numbers, default=0.0))),
    "MINIFS": _of_picked(lambda numbers: plain_number(min(numbers, default=0.0))),
    "COUNTUNIQUE": lambda *given: len({each for each in _values_of(given) if each is not None}),
    "LARGE": partial(_nth, is_down=True),
    "SMALL": partial(_nth, is_down=False),
    "RANK": _rank,
    "PERCENTILE": _percentile,
    "QUARTILE": partial(_percentile, parts=4),
    "MODE": _mode,
    "STDEV": _spread(stdev, 2),
    "STDEVP": _spread(pstdev, 1),
    "VAR": _spread(variance, 2),
    "VARP": _spread(pvariance, 1),
    "SIGN": _of_number(lambda number: (number > 0) - (number < 0)),
    "LOG": _of_number(lambda number, base=10: math.log(number, base)),
    "SIN": _of_number(math.sin),
    "COS": _of_number(math.cos),
    "TAN": _of_number(math.tan),
    "RADIANS": _of_number(math.radians),
    "DEGREES": _of_number(math.degrees),
    "QUOTIENT": _of_number(lambda one, other: math.trunc(one / other)),
    "CEILING": _to_multiple(math.ceil),
    "FLOOR": _to_multiple(math.floor),
    "GCD": _whole(math.gcd),
    "LCM": _whole(math.lcm),
    "FACT": _whole(_factorial),
    "COMBIN": _whole(_combinations),
    "XOR": lambda *given: sum(_is_true(each) for each in _values_of(given)) % 2 == 1,
    "SWITCH": _switch,
    "CHOOSE": _choose_nth,
    "IFNA": _unless_missing,
    "N": lambda given: number_of(single(given)) if _has((int, float))(given) else 0,
    "T": lambda given: _text(given) if _has(str)(given) else "",
    "EXACT": lambda one, other: _text(one) == _text(other),
    "CHAR": lambda number: chr(int(number_of(single(number)))),
    "CODE": _of_text(lambda text: ord(text[0]) if text else VALUE_ERROR),
    "CLEAN": _of_text(lambda text: "".join(each for each in text if each.isprintable())),
    "SEARCH": _search,
    "REPLACE": _replace_part,
    "TEXTJOIN": _join_some,
    "REGEXMATCH": lambda text, pattern: bool(_expression(_text(pattern)).search(_text(text))),
    "REGEXEXTRACT": _extract,
    "REGEXREPLACE": _replace_all,
    "HLOOKUP": _look_along,
    "XLOOKUP": _look_beside,
    "LOOKUP": _look_in,
    "HOUR": _of_moment(lambda at: at.hour),
    "MINUTE": _of_moment(lambda at: at.minute),
    "SECOND": _of_moment(lambda at: at.second),
    "WEEKNUM": _of_moment(_week_of),
    "TIME": _time,
    "DAYS": lambda end, start: (_moment(end) - _moment(start)).days,
    "EDATE": partial(_in_months, is_end=False),
    "EOMONTH": partial(_in_months, is_end=True),
    "DATEDIF": _passed,
    "NETWORKDAYS": _working_days,
    "HYPERLINK": _hyperlink,
}
"""Beside these `TODAY` and `NOW`, which need the session's clock."""
