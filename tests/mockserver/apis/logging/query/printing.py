"""Queries as text again, for laws: what is printed reads as the same tree."""

import re

from mockserver.googleapi import And, Comparison, Filter, Function, Not, Or, Text
from mockserver.googleapi.filter_trees import Argument, Value

_WORD = r"[\w./+%@*$#][\w./+%@*$#\-]*"
_SEGMENT = r"[\w/+%@*$#][\w/+%@*$#\-]*"


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def print_query(query: Filter) -> str:
    match query:
        case Comparison(path, operator, Value() as value):
            return f"{_print_path(path)}{operator}{_print_value(value)}"
        case Text(value):
            return _print_value(value)
        case Function(name, arguments):
            return f"{name}({', '.join(map(_print_argument, arguments))})"
        case Not(inner):
            return f"NOT {print_query(inner)}"
        case And(parts) | Or(parts):
            word = " AND " if isinstance(query, And) else " OR "
            return f"({word.join(map(print_query, parts))})" if parts else ""
        case _:
            raise TypeError(query)


def _is_bare(pattern: str, text: str) -> bool:
    return bool(re.fullmatch(pattern, text)) and text not in {"AND", "OR", "NOT"}


def _print_value(value: Value) -> str:
    bare = not value.quoted and _is_bare(f"-?{_WORD}", value.text)
    return value.text if bare else quote(value.text)


def _print_argument(argument: Argument) -> str:
    return quote(argument.path[0]) if argument.quoted else _print_path(argument.path)


def _print_path(path: tuple[str, ...]) -> str:
    return ".".join(each if _is_bare(_SEGMENT, each) else quote(each) for each in path)
