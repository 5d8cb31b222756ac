"""Orders of lists: `orderBy=create_time desc, name` (AIP-132)."""

import re
from collections.abc import Sequence

from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import invalid
from mockserver.googleapi.rowfilters import values_at
from mockserver.model import Json, JsonObject

_TERM = re.compile(r"^([A-Za-z_][\w.]*)(?:\s+(asc|desc))?$", re.IGNORECASE)


def ordered(
    call: Call, rows: Sequence[JsonObject], default: str = "", parameter: str = "orderBy"
) -> Sequence[JsonObject]:
    """Rows in the order that a call asks for; absent values come first, ties stay as they were.

    Args:
        call: The call.
        rows: The rows.
        default: The order when none is asked for; empty leaves the rows as they are.
        parameter: Name of the parameter.

    Raises:
        ApiError: 400; the order cannot be read.
    """
    terms = str(call.params.get(parameter) or default)
    for term in reversed([each.strip() for each in terms.split(",") if each.strip()]):
        found = _TERM.match(term)
        if found is None:
            raise invalid(f"Invalid {parameter}: '{term[:200]}'.", location=parameter)
        path, backwards = found[1], (found[2] or "").lower() == "desc"
        rows = sorted(rows, key=lambda row: _key(row, path), reverse=backwards)
    return rows


def _key(row: JsonObject, path: str) -> tuple[int, float, str]:
    found = values_at(row, path)
    value: Json = found[0] if found else None
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, int | float):
        return (1, float(value), "")
    text = str(value)
    # 64-bit integers are text in JSON
    return (1, float(text), "") if text.lstrip("-").isdecimal() else (2, 0.0, text)
