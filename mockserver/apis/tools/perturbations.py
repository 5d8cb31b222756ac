"""Changes of a session's tools under which a robust agent works all the same."""

import re
from collections.abc import Mapping
from random import Random  # noqa: TID251  (seeded by the session)

from mockserver.apis.tools.methods import tool_definitions
from mockserver.model import JsonObject, ToolPerturbations
from mockserver.state import Base

_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "add": ("create", "make"), "book": ("reserve", "order"), "cancel": ("revoke", "undo"),
    "create": ("add", "make"), "delete": ("remove", "drop"), "find": ("search", "lookup"),
    "get": ("fetch", "read"), "list": ("show", "enumerate"), "lookup": ("find", "get"),
    "move": ("transfer", "relocate"), "read": ("get", "fetch"), "remove": ("delete", "drop"),
    "search": ("find", "query"), "send": ("submit", "post"), "set": ("update", "put"),
    "update": ("change", "modify"),
}  # fmt: skip
_DISTRACTORS = (
    ("archive_report", "Move a finished report to the archive."),
    ("convert_currency", "Convert an amount from one currency to another."),
    ("count_words", "Count the words of a text."),
    ("describe_image", "Describe what an image shows."),
    ("export_calendar", "Export a calendar as a file."),
    ("format_address", "Format a postal address for a country."),
    ("get_exchange_rate", "Get the exchange rate of two currencies."),
    ("get_weather", "Get the weather at a place."),
    ("play_sound", "Play a sound on the user's device."),
    ("resize_image", "Change the size of an image."),
    ("schedule_reminder", "Remind the user at a time."),
    ("translate_text", "Translate a text into another language."),
)
_MISUSED: JsonObject = {"error": {"status": 403, "message": "This tool is not available here."}}


def perturbed_tools(base: Base, changes: ToolPerturbations, seed: int) -> dict[str, JsonObject]:
    """The tools of a session, changed; each keeps under `of` the name that it had.

    Args:
        base: What the session starts from.
        changes: Which changes.
        seed: Where names and order come from.
    """
    random = Random(f"{seed}/tools")  # noqa: S311  (repeatable, not secret)
    tools = tool_definitions(base)
    names = {name: name for name in tools}
    if changes.rename is True:
        names |= {name: _rename_tool(name, random) for name in tools}
    elif changes.rename:
        names |= {name: new for name, new in changes.rename.items() if name in tools}
    found: dict[str, JsonObject] = {}
    for name, tool in tools.items():
        new = names[name]
        new = new if new not in found and (new == name or new not in tools) else name
        found[new] = {**tool, "of": name}
    for name, description in _DISTRACTORS[: changes.distractors]:
        schema = {"type": "object", "properties": {"input": {"type": "string"}}}
        found.setdefault(
            name, {"description": description, "inputSchema": schema, "responses": [_MISUSED]}
        )
    for tool in found.values():
        if changes.undescribed:
            tool["description"] = ""
            tool["inputSchema"] = _without_descriptions(tool.get("inputSchema") or {})
        if changes.result_limit is not None:
            tool["resultLimit"] = changes.result_limit
        if changes.prose_errors:
            tool["proseErrors"] = True
    if changes.reorder:
        order = list(found)
        random.shuffle(order)
        found = {name: found[name] for name in order}
    return found


def _rename_tool(name: str, random: Random) -> str:
    """A name that says the same in other words, `search_flights` as `findFlights`."""
    words = [word.lower() for word in _WORDS.findall(name)] or [name]
    words[0] = random.choice(_SYNONYMS.get(words[0], (words[0],)))
    if "_" in name or name.islower():
        words[1:] = [word.title() for word in words[1:]]
        return "".join(words)
    return "_".join(words)


def _without_descriptions(schema: JsonObject) -> JsonObject:
    kept = {name: value for name, value in schema.items() if name not in {"description", "title"}}
    properties = kept.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {
            name: _without_descriptions(each) if isinstance(each, dict) else each
            for name, each in properties.items()
        }
    return kept


def original_name(base: Base, name: str) -> str:
    """The name that a tool of a session had before it was renamed."""
    tool = base.tools.get(name)
    return str(tool["of"]) if isinstance(tool, dict) and "of" in tool else name
