"""What makes the results of a tool: templates over the answers of an API and the arguments."""

import re
from collections.abc import Iterator, Sequence

from mockserver.declared.keywords import as_object
from mockserver.model import Json, JsonObject
from mockserver.templates import has_templates

ROWS = "rows"
"""The field of the answers of lists, and so of `answer` in the templates of tools."""

_SHORTEST_ECHO = 3


def result_template(
    results: Sequence[Json], answers: Sequence[JsonObject], arguments: Sequence[JsonObject]
) -> tuple[Json] | None:
    """What makes results of answers and arguments, in a tuple; None where nothing does.

    Args:
        results: What calls of one tool returned; at least one.
        answers: What the API answered each of them; lists have their rows under `rows`.
        arguments: What each of them was given.

    >>> result_template([{"id": 7, "ok": True}], [{"id": 7, "total": 40}], [{"total": 40}])
    ({'id': "{{ answer['id'] }}", 'ok': True},)
    """
    whole = next(_sources(results, answers, arguments), None)
    if whole is not None:
        return (whole,)
    if all(isinstance(each, dict) for each in results):
        return _object_template([as_object(each) for each in results], answers, arguments)
    if all(isinstance(each, str) for each in results):
        pairs = zip(results, arguments, strict=True)
        texts = {_text_template(str(result), given) for result, given in pairs}
        text = texts.pop() if len(texts) == 1 else None
        bare = re.sub(r"\{\{.*?\}\}", "", text or "")  # without the names of arguments
        return None if text is None or is_chance([bare] * len(results)) else (text,)
    first = results[0]
    if is_chance(results):
        return None
    return (first,) if _all_equal(results, [first] * len(results)) and is_plain(first) else None


def _sources(
    results: Sequence[Json], answers: Sequence[JsonObject], arguments: Sequence[JsonObject]
) -> Iterator[str]:
    """Where results stand whole: in the answer, in a field of it, in an argument.

    Yields:
        Each as a template.
    """
    if answers[0] and _all_equal(results, answers):
        yield "{{ answer }}"
    for kind, several in (("answer", answers), ("arguments", arguments)):
        for name in several[0]:
            if (
                is_sayable(name)
                and all(name in each for each in several)
                and _all_equal(results, [each[name] for each in several])
            ):
                yield f"{{{{ {kind}[{name!r}] }}}}"
    rows = [each.get(ROWS) for each in answers]
    lists = [each for each in rows if isinstance(each, list)]
    if len(lists) == len(results) and _all_equal(results, [len(each) for each in lists]):
        yield f"{{{{ answer.{ROWS} | length }}}}"


def _object_template(
    results: Sequence[JsonObject], answers: Sequence[JsonObject], arguments: Sequence[JsonObject]
) -> tuple[Json] | None:
    """The template of objects that all have the same fields."""
    made: JsonObject = {}
    if any(each.keys() != results[0].keys() for each in results):
        return None
    for name in results[0]:
        told = result_template([each[name] for each in results], answers, arguments)
        if told is None:
            return None
        made[name] = told[0]
    return (made,)


def _text_template(text: str, arguments: JsonObject) -> str | None:
    """A text in which arguments are said by their names; None where it is a template already."""
    if not is_plain(text):
        return None
    values = {name: text_of(value) for name, value in arguments.items()
              if isinstance(value, str | int | float) and not isinstance(value, bool)}  # fmt: skip
    parts = [text]  # texts at even places, templates between them
    for name, value in sorted(values.items(), key=lambda each: (-len(each[1]), each[0])):
        if len(value) < _SHORTEST_ECHO and not (value.isdigit() and len(value) > 1):
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
        split = [pattern.split(part) if number % 2 == 0 else [part]
                 for number, part in enumerate(parts)]  # fmt: skip
        parts = _rejoined(split, argument_template(name))
    return "".join(parts)


def _rejoined(split: Sequence[Sequence[str]], template: str) -> list[str]:
    """Pieces of texts with a template between them; templates from before stay whole."""
    made: list[str] = []
    for number, pieces in enumerate(split):
        if number % 2:
            made += pieces
        else:
            made.append(pieces[0])
            for piece in pieces[1:]:
                made += [template, piece]
    return made


def is_chance(values: Sequence[Json]) -> bool:
    """Whether a value was seen once, and has digits: it may be another one the next time.

    >>> is_chance(["R-7"]), is_chance(["open"]), is_chance([7, 7])
    (True, False, False)
    """
    return len(values) == 1 and _has_digits(values[0])


def _has_digits(value: Json) -> bool:
    return not isinstance(value, bool) and any(map(str.isdigit, str(value)))


def _all_equal(results: Sequence[Json], others: Sequence[Json]) -> bool:
    """Whether all values are the same as the others; true is not 1."""
    return all(
        one == other and isinstance(one, bool) == isinstance(other, bool)
        for one, other in zip(results, others, strict=True)
    )


def argument_template(argument: str) -> str:
    """A template that is the value of an argument.

    >>> argument_template("order-id")
    "{{ arguments['order-id'] }}"
    """
    return f"{{{{ arguments[{argument!r}] }}}}"


def is_sayable(name: str) -> bool:
    """Whether a name may stand in a template."""
    return name.isprintable() and not set(name) & set("{}%#\\'\"")


def is_plain(value: Json) -> bool:
    """Whether a value holds no template."""
    return not has_templates(value)


def text_of(value: Json) -> str:
    """A value as it stands in an address or a text.

    >>> text_of(True), text_of(40)
    ('true', '40')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
