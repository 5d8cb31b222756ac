"""Parameters of a time series query, whatever carried them.

REST flattens a message into dotted names (`interval.endTime`) and may send enum numbers; other
transports hand over the nested message.
"""

from mockserver.apis.monitoring.series import MINUTE, read_duration, read_time
from mockserver.googleapi import ApiError, Call, bad_fields
from mockserver.googleapi.encoding import ALIGNERS, REDUCERS, enum_name
from mockserver.model import Json, JsonMapping
from mockserver.state import epoch_micros

_ENUMS = {
    "perSeriesAligner": ALIGNERS.split(),
    "crossSeriesReducer": REDUCERS.split(),
    "view": ["FULL", "HEADERS"],
}
_LONGEST_PERIOD = 104 * 7 * 24 * 60 * MINUTE


def parameter_at(call: Call, path: str) -> Json:
    """A parameter by its dotted name, or None."""
    if path in call.params:
        return call.params[path]
    value: Json = call.params
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def enum_parameter(call: Call, path: str) -> str:
    """An enum parameter by name; empty when it was not sent.

    Raises:
        ApiError: 400: it has no such value.
    """
    value = parameter_at(call, path)
    if value is None or value == "":
        return ""
    names, text = _ENUMS[path.rpartition(".")[2]], str(value)
    found = enum_name(names, int(text)) if text.isdecimal() else text
    if found not in names:
        raise bad_value(path, text, "It is not one of the values of this enum.")
    return found


def query_interval(call: Call) -> tuple[int, int]:
    """The interval of a query: start and end, both the end when no start was sent.

    Raises:
        ApiError: 400: no end, no timestamps, or a start after the end. The texts are not verified
            against the live API.
    """
    end = _time_parameter(call, "interval.endTime")
    if end is None:
        raise bad_value("interval.endTime", "", "The end time of the interval is required.")
    start = _time_parameter(call, "interval.startTime")
    start = end if start is None else start
    if start > end:
        text = str(parameter_at(call, "interval.startTime"))
        raise bad_value("interval.startTime", text, "The start time must not be after the end.")
    return start, end


def now_micros(call: Call) -> int:
    """The session's time; nothing after it has happened yet."""
    return epoch_micros(call.world.clock.now())


def alignment_period(call: Call, prefix: str) -> int:
    """The alignment period of an aggregation.

    Raises:
        ApiError: 400: absent, shorter than a minute or longer than two years.
    """
    path = f"{prefix}.alignmentPeriod"
    text = str(parameter_at(call, path) or "")
    try:
        found = read_duration(text) if text else 0
    except ValueError as error:
        raise bad_value(path, text, f"{error}.") from error
    if not MINUTE <= found <= _LONGEST_PERIOD:
        why = "The alignment period must be at least 60 seconds and at most 104 weeks."
        raise bad_value(path, text or "0s", why)
    return found


def bad_value(path: str, text: str, why: str) -> ApiError:
    """The 400 for a parameter's value, in the words that the API puts before every reason."""
    return bad_fields([(path, f'Field {path} had an invalid value of "{text}": {why}')])


def repeated_parameter(call: Call, path: str) -> list[str]:
    """A repeated parameter."""
    value = parameter_at(call, path) or []
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def project_of(params: JsonMapping) -> str:
    """The resource that a request is about, `projects/shop-prod`."""
    return str(params.get("name") or params.get("parent") or "")


def _time_parameter(call: Call, path: str) -> int | None:
    text = parameter_at(call, path)
    if not text:
        return None
    try:
        return read_time(str(text))
    except (ValueError, OverflowError) as error:
        raise bad_value(path, str(text), f"{error}.") from error
