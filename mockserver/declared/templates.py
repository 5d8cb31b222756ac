"""Templates of declarations: what they may speak of, and what becomes of one that fails."""

from collections.abc import Mapping
from typing import Any

from mockserver.declared.errors import refusal
from mockserver.model import Json, Miss
from mockserver.state import World
from mockserver.templates import TemplateError, render_json, session_values


def render(template: Json, values: Mapping[str, Any]) -> Json:
    """JSON whose texts are templates, with values in their place.

    Raises:
        ApiError: 500: a template fails; the fault of who wrote the declaration.
    """
    try:
        return render_json(template, values)
    except TemplateError as error:
        text = f"A template of the declaration fails: {error}"
        raise refusal(500, text, miss=Miss(blame="fixture_gap", reason=text)) from error


def row_values(world: World, place: str, number: int = 0, **further: Any) -> dict[str, Any]:
    """What templates of declarations may speak of.

    Args:
        world: What the session holds.
        place: What is answered, such as a table: ids of two places differ.
        number: What `seq` is.
        further: Values beside those of every session: `row`, `body`, `params`.
    """

    def pad(value: object, width: int) -> str:
        return str(value).zfill(min(width, _WIDEST))

    def hex_(length: int = 16) -> str:
        return world.ids.hex(place, min(length, _WIDEST))

    def digits(length: int = 8) -> str:
        return world.ids.digits(place, min(length, _WIDEST))

    def base36(length: int = 12) -> str:
        return world.ids.base36(place, min(length, 40))

    made: tuple[Any, ...] = (pad, hex_, digits, base36)
    for function in made:
        function.is_for_templates = True
    named = {function.__name__.rstrip("_"): function for function in made}
    return {**session_values(world, place, number), **named, **further}


_WIDEST = 64
