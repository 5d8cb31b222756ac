"""Tools whose responses a snapshot prepares, chosen by the call's arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.apis.tools.matchers import differences
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject, Miss


def scripted_answer(name: str, tool: Mapping[str, Any], arguments: JsonObject) -> JsonObject:
    """The first response that is for these arguments.

    Raises:
        ApiError: The response is an error; or 404, a miss that names the nearest response.
    """
    responses: Sequence[JsonObject] = tool.get("responses") or ()
    compared = [differences(item.get("when") or {}, arguments) for item in responses]
    for response, found in zip(responses, compared, strict=True):
        if not found:
            return _answer(response)
    raise _miss(name, responses, compared)


def _answer(response: JsonObject) -> JsonObject:
    error = response.get("error")
    if error is not None:
        status = int(error.get("status", 500))
        raise ApiError(status, str(error.get("message", "")), reason=str(error.get("reason", "")))
    return {"result": response.get("result")}


def _miss(
    name: str, responses: Sequence[JsonObject], compared: Sequence[tuple[str, ...]]
) -> ApiError:
    if not responses:
        text = f"The tool {name!r} has no responses in this snapshot."
        return ApiError(404, text, miss=Miss(blame="fixture_gap", reason=text))
    number = min(range(len(compared)), key=lambda index: len(compared[index]))
    text = (
        f"No response of the tool {name!r} is for these arguments. "
        f"Nearest: responses[{number}], which differs in {'; '.join(compared[number])}."
    )
    miss = Miss(
        blame="fixture_gap",
        reason=f"no response of the tool {name!r} is for these arguments",
        nearest=f"tools.{name}.responses[{number}]",
        differs=compared[number],
    )
    return ApiError(404, text, miss=miss)
