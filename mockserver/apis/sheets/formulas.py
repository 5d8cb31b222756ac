"""Formulas: read, computed over the cells of a spreadsheet, and moved with their cells.

A function that is not in `functions.FUNCTIONS` is not guessed: who reads such a cell is told so.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne

from mockserver.apis.sheets.formats import plain_number, show_value
from mockserver.apis.sheets.ranges import map_corners, quote_sheet
from mockserver.model import Json

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<text>"(?:[^"]|"")*")
    |(?P<error>\#(?:DIV/0!|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|ERROR!))
    |(?P<place>(?:'(?:[^']|'')+'!|[A-Za-z_]\w*!)?
        (?:\$?[A-Za-z]{1,3}\$?\d+(?::\$?[A-Za-z]{1,3}(?:\$?\d+)?)?
          |\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?\d+:\$?\d+)(?![\w(.]))
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    |(?P<name>[A-Za-z_][\w.]*)
    |(?P<sign><=|>=|<>|[-+*/^&=<>%(),;])
    """,
    re.VERBOSE,
)


class UncomputedError(Exception):
    """A formula that is not computed here, with what of it is unknown."""


@dataclass(frozen=True, slots=True)
class FormulaError:
    """An error as the value of a formula.

    Attributes:
        text: `#DIV/0!` and its like.
    """

    text: str


Value = str | float | bool | None | FormulaError
Cells = Sequence[Sequence[Value]]
"""The values of a range, row by row."""
Argument = Value | Cells

REF_ERROR, VALUE_ERROR, DIV_ERROR, NAME_ERROR, NA_ERROR, NUM_ERROR = (
    FormulaError(text) for text in ("#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#N/A", "#NUM!")
)
ERROR_TYPES = {
    "#REF!": "REF", "#VALUE!": "VALUE", "#DIV/0!": "DIVIDE_BY_ZERO", "#NAME?": "NAME",
    "#N/A": "N_A", "#NUM!": "NUM", "#NULL!": "NULL_VALUE", "#ERROR!": "ERROR",
}  # fmt: skip
"""Type of an `ErrorValue` of what a cell shows."""


@lru_cache(4096)
def _tokens(formula: str) -> tuple[tuple[str, str], ...] | None:
    """Kind and text of each part behind the `=`; None where one is none of the language."""
    found, at = [], 1
    while at < len(formula):
        match = _TOKEN.match(formula, at)
        if match is None:
            return None
        found.append((str(match.lastgroup), match[0]))
        at = match.end()
    return tuple(found)


def move_references(formula: str, change: Callable[[str, str], str | None]) -> str:
    """A formula with its references changed.

    Args:
        formula: It, with its `=`.
        change: Of a reference's sheet (an empty string for its own) and corners, the corners as
            they are afterwards; None when the cells are gone.
    """
    tokens = _tokens(formula)
    if tokens is None:
        return formula
    made = "="
    for kind, text in tokens:
        sheet, mark, corners = text.rpartition("!") if kind == "place" else ("", "", text)
        if kind == "place":
            after = change(sheet.strip("'").replace("''", "'"), corners)
            made += "#REF!" if after is None else f"{sheet}{mark}{after}"
        else:
            made += text
    return made


def rename_references(formula: str, old: str, new: str) -> str:
    """A formula whose references to a sheet are to its new title."""
    made = "="
    for kind, text in _tokens(formula) or ():
        sheet, _, corners = text.rpartition("!") if kind == "place" else ("", "", text)
        is_old = bool(sheet) and sheet.strip("'").replace("''", "'") == old
        made += f"{quote_sheet(new)}!{corners}" if is_old else text
    return made if _tokens(formula) else formula


def shift_formula(formula: str, down: int, across: int) -> str:
    """A formula as it is copied to another cell.

    >>> shift_formula("=A1+$B$2", 1, 1)
    '=B2+$B$2'
    """
    moves = {"ROWS": down, "COLUMNS": across}

    def place(dimension: str, index: int, dollar: str) -> int:
        return index if dollar else index + moves[dimension]

    return move_references(formula, lambda _, corners: map_corners(corners, place))


@dataclass
class Computation:
    """Computes the formulas of one sheet.

    Attributes:
        read: Of a range's text the values of its cells; raises `LookupError` for no range.
        functions: Name to function.
    """

    read: Callable[[str], Cells]
    functions: Mapping[str, Callable[..., Argument]]
    _parts: Sequence[tuple[str, str]] = field(default=(), init=False)
    _next: int = field(default=0, init=False)

    def value(self, formula: str) -> Value:
        """What a formula comes to.

        Raises:
            UncomputedError: It has what is not computed here.
        """
        tokens = _tokens(formula)
        if tokens is None:
            raise UncomputedError(formula)
        self._parts = [*(each for each in tokens if each[0] != "space"), ("end", "")]
        self._next = 0
        found = single(self._comparison())
        if self._parts[self._next][0] != "end":
            return FormulaError("#ERROR!")
        return 0 if found is None else found

    def _take(self, *texts: str) -> str:
        kind, text = self._parts[self._next]
        if kind != "sign" or text not in texts:
            return ""
        self._next += 1
        return text

    def _comparison(self) -> Argument:
        left = self._joined()
        while sign := self._take("=", "<>", "<", "<=", ">", ">="):
            left = compare(sign, single(left), single(self._joined()))
        return left

    def _joined(self) -> Argument:
        left = self._sum()
        while self._take("&"):
            left = joined_text([single(left), single(self._sum())])
        return left

    def _sum(self) -> Argument:
        left = self._product()
        while sign := self._take("+", "-"):
            left = calculate(sign, single(left), single(self._product()))
        return left

    def _product(self) -> Argument:
        left = self._power()
        while sign := self._take("*", "/"):
            left = calculate(sign, single(left), single(self._power()))
        return left

    def _power(self) -> Argument:
        left = self._signed()
        while self._take("^"):
            left = calculate("^", single(left), single(self._signed()))
        return left

    def _signed(self) -> Argument:
        sign = self._take("-", "+")
        if sign:
            found = self._signed()
            return calculate("-", 0, single(found)) if sign == "-" else found
        found = self._operand()
        while self._take("%"):
            found = calculate("/", single(found), 100)
        return found

    def _operand(self) -> Argument:
        kind, text = self._parts[self._next]
        if kind == "end" or (kind == "sign" and text != "("):
            raise UncomputedError(text or "an incomplete formula")
        self._next += 1
        match kind:
            case "sign":
                found = self._comparison()
                self._take(")")
                return found
            case "number":
                return plain_number(float(text))
            case "text":
                return text[1:-1].replace('""', '"')
            case "error":
                return FormulaError(text)
            case "place":
                return self._cells(text, REF_ERROR)
            case _:
                return self._read_name(text)

    def _read_name(self, name: str) -> Argument:
        if name.upper() in {"TRUE", "FALSE"} and self._parts[self._next] != ("sign", "("):
            return name.upper() == "TRUE"
        if not self._take("("):
            return self._cells(name, NAME_ERROR)
        function = self.functions.get(name.upper())
        if function is None:
            raise UncomputedError(f"{name.upper()}()")
        arguments: list[Argument] = []
        while not self._take(")"):
            if self._parts[self._next][0] == "end":
                break
            skipped = self._parts[self._next] in {("sign", ","), ("sign", ";")}
            arguments.append(None if skipped else self._comparison())
            self._take(",", ";")
        try:
            return function(*arguments)
        except TypeError:
            return NA_ERROR  # the wrong number of arguments
        except ZeroDivisionError:
            return DIV_ERROR
        except (ValueError, OverflowError):
            return VALUE_ERROR
        except RaisedError as error:
            return error.value

    def _cells(self, text: str, missing: FormulaError) -> Argument:
        try:
            found = self.read(text)
        except LookupError:
            return missing
        return found[0][0] if len(found) == 1 and len(found[0]) == 1 else found


class RaisedError(Exception):
    """An error among the arguments of a function, which is its value, too."""

    def __init__(self, value: FormulaError) -> None:
        super().__init__(value.text)
        self.value = value


def single(found: Argument) -> Value:
    """One value; of a range its first."""
    if isinstance(found, Sequence) and not isinstance(found, str):
        return found[0][0] if found and found[0] else None
    return found


def number_of(value: Value) -> float:
    """A value as a number.

    Raises:
        RaisedError: It is an error, or a text that is no number.
    """
    if isinstance(value, FormulaError):
        raise RaisedError(value)
    if isinstance(value, str):
        try:
            return float(value or 0)
        except ValueError:
            raise RaisedError(VALUE_ERROR) from None
    return plain_number(float(value or 0))


def joined_text(values: Sequence[Value]) -> Value:
    """Texts of values, one behind the other."""
    for value in values:
        if isinstance(value, FormulaError):
            return value
    return "".join(show_value(_json(value)) for value in values)


def _json(value: Value) -> Json:
    return value.text if isinstance(value, FormulaError) else value


def calculate(sign: str, left: Value, right: Value) -> Value:
    """An operation on two numbers."""
    try:
        one, other = number_of(left), number_of(right)
        match sign:
            case "+":
                found = one + other
            case "-":
                found = one - other
            case "*":
                found = one * other
            case "/":
                found = one / other
            case _:
                if abs(other) > 1000:
                    return NUM_ERROR
                found = one**other
    except RaisedError as error:
        return error.value
    except ZeroDivisionError:
        return DIV_ERROR
    except OverflowError:
        return NUM_ERROR
    return NUM_ERROR if isinstance(found, complex) else plain_number(found)


_COMPARISONS: Mapping[str, Callable[..., bool]] = {
    "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip


def sort_rank(value: Value) -> tuple[int, float | str | bool]:
    """Where a value stands: numbers before texts, whatever their case, before truth values."""
    if isinstance(value, bool):
        return 2, value
    if isinstance(value, int | float):
        return 0, value
    text = value.text if isinstance(value, FormulaError) else value or ""
    return 1, text.casefold()


def compare(sign: str, left: Value, right: Value) -> Value:
    """A comparison; an empty cell is 0 beside a number, and an empty text beside a text."""
    for value in (left, right):
        if isinstance(value, FormulaError):
            return value
    if left is None or right is None:
        other = right if left is None else left
        nothing: Value = "" if isinstance(other, str) else 0
        if isinstance(other, bool):
            nothing = False
        left, right = (nothing if left is None else left), (nothing if right is None else right)
    return _COMPARISONS[sign](sort_rank(left), sort_rank(right))
