"""How authors write expectations: values that are refused where they say nothing, and sections.

A section is one word under `expect` in a case file. The block of most kinds follows from the kind
itself (`section_of`); a section that stands for several kinds has a block of its own.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import getdoc
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)

from harness.checks.expectation import AnyExpectation
from harness.checks.matchers import matcher_name
from harness.trials.regexes import never_matches, search_pattern
from harness.trials.values import Frozen, Json, JsonObject


class Block(Frozen):
    """What authors write below one word of `expect`; made ready when a case file is first read."""

    model_config = ConfigDict(defer_build=True)


_MODEL_NAME = r"^python:[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
_SCALAR = str | bool | int | float


def single_or_list(kind: Any) -> BeforeValidator:
    """Lets a single value stand for a list of one."""
    return BeforeValidator(
        lambda value: value if isinstance(value, list | tuple) else [value],
        json_schema_input_type=kind | list[kind],
    )


def name_or_object(key: str, kind: Any) -> BeforeValidator:
    """Lets a text stand for an object of this kind with only this key.

    A number or a truth value is taken for a text that lacks its quotes.
    """
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, _SCALAR) else value,
        json_schema_input_type=str | kind,
    )


def none_as_empty(value: Json) -> Json:
    """Takes an explicit null for a list that is not there."""
    return [] if value is None else value


def _with_letters(text: str) -> str:
    if not any(unicodedata.category(letter)[0] in "LMN" for letter in text):
        raise ValueError(f"{text!r} is an empty needle: it needs a letter or a digit")
    return text


Phrase = Annotated[str, AfterValidator(_with_letters)]
"""A text to look for, as an author writes it: with a letter or a digit."""

Phrases = Annotated[tuple[Phrase, ...], Field(min_length=1), single_or_list(str)]
Names = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1), single_or_list(str)
]


def checked_pattern(pattern: str) -> str:
    """The pattern, if it is a regular expression that some texts match, and an empty one does not.

    Raises:
        ValueError: It is not.
    """
    if search_pattern(pattern).search(""):
        raise ValueError(f"{pattern!r} matches every reply, even an empty one")
    if never_matches(pattern):
        raise ValueError(f"{pattern!r} matches no text: something stands before ^ or after $")
    return pattern


RegularExpression = Annotated[str, Field(min_length=1), AfterValidator(checked_pattern)]


def checked_schema(schema: JsonObject) -> JsonObject:
    """The JSON Schema, if it is one.

    Raises:
        ValueError: It is not.
    """
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.message}") from error
    return schema


JsonSchema = Annotated[JsonObject, Field(min_length=1), AfterValidator(checked_schema)]


def _is_model(name: str) -> str:
    if not re.match(_MODEL_NAME, name):
        raise ValueError(f"{name!r} names no model: expected 'python:package.module:Model'")
    return name


ModelName = Annotated[str, AfterValidator(_is_model)]


def checked_matchers(value: Json) -> Json:
    """The value, after a look at each matcher in it.

    Raises:
        ValueError: A matcher cannot be used; the message says which.
    """
    for name, matcher in _matchers(value):
        _OPERANDS[name](matcher)
    return value


def _matchers(value: Json) -> Iterator[tuple[str, Json]]:
    if name := matcher_name(value):
        yield name, value
        inner = {"any_of": value[name], "contains": [value[name]]}.get(name, ())
        value = list(inner) if isinstance(inner, list | tuple) else ()
    children = value.values() if isinstance(value, dict) else value
    for child in children if isinstance(value, dict | list | tuple) else ():
        yield from _matchers(child)


def _number(matcher: Json) -> None:
    operands = (matcher["number"], matcher.get("tolerance", 0))
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in operands):
        raise ValueError("'number' and 'tolerance' need numbers")
    if operands[1] < 0:
        raise ValueError("'tolerance' is below 0")


def _presence(matcher: Json) -> None:
    if not all(isinstance(each, bool) for each in matcher.values()):
        raise ValueError("'present' and 'absent' need true or false")


def _contains(matcher: Json) -> None:
    if matcher["contains"] in ("", None):
        raise ValueError("'contains' needs something to look for")


def _of(kind: type[str | list[Json] | JsonObject], operand: Json, error: str) -> Json:
    if not isinstance(operand, kind) or not len(operand):
        raise ValueError(error)
    return operand


_OPERANDS: Mapping[str, Callable[[Json], object]] = {
    "any_of": lambda matcher: _of(list, matcher["any_of"], "'any_of' needs a list of values"),
    "regex": lambda matcher: checked_pattern(_of(str, matcher["regex"], "'regex' needs a text")),
    "number": _number,
    "present": _presence,
    "absent": _presence,
    "schema": lambda matcher: checked_schema(
        _of(dict, matcher["schema"], "'schema' needs a JSON Schema")
    ),
    "glob": lambda matcher: _of(str, matcher["glob"], "'glob' needs a text"),
    "contains": _contains,
    "equals": lambda _matcher: None,
}
"""Matcher to a function that raises a ValueError for an operand that it cannot use."""


@dataclass(frozen=True, slots=True)
class Section:
    """One word under `expect`, and the expectations that it stands for.

    Attributes:
        name: The word.
        about: What it is for, for the JSON Schema.
        form: What an author writes there, as a type that Pydantic reads.
        read: The expectations that a value of this type stands for, in a turn (None: in the whole
            trial).
        write: From a kind and the fields that differ from their defaults to what is written; None
            where there are no words for it.
        of_turns: Whether a single turn may have it, too.
        default: What stands for a section that is not there.
        shared: Keys that speak of all that is written beside them: expectations that differ in one
            cannot be written in one block.
        joined: Keys of lists in which each item is an expectation of its own.
    """

    name: str
    about: str
    form: Any
    read: Callable[[Any, int | None], Iterable[AnyExpectation]]
    write: Callable[[str, JsonObject], Json] = lambda _kind, fields: fields
    of_turns: bool = True
    default: Any = None
    shared: frozenset[str] = frozenset({"required"})
    joined: frozenset[str] = frozenset()


def section_of(
    kind: type[AnyExpectation],
    about: str,
    *rules: Callable[[Any], object],
    short: Callable[[type[Block]], Any] = lambda block: block,
    many: bool = False,
    of_turns: bool = True,
    **forms: Any,
) -> Section:
    """The section of one kind of expectation, under the kind's own name.

    Its block has the fields of the kind, but for `kind` and `turn`.

    Args:
        kind: The kind.
        about: What the section is for.
        rules: Each raises a ValueError for a block that could not fail, or never hold.
        short: From the block to a type that allows shorter forms, too.
        many: Whether several blocks may stand in a list.
        of_turns: Whether a single turn may have it, too.
        forms: Fields that authors write in another form than the kind keeps them, with their types.
    """
    form: Any = short(_block_of(kind, rules, forms))
    if many:
        form = Annotated[tuple[form, ...], single_or_list(dict)]
    return Section(
        name=kind.kind_name(),
        about=about,
        form=form,
        read=lambda value, turn: [
            kind(turn=turn, **dict(each)) for each in (value if many else [value])
        ],
        of_turns=of_turns,
        default=() if many else None,
    )


def value_section(
    kind: type[AnyExpectation],
    field: str,
    form: Any,
    about: str,
    *,
    name: str = "",
    of_turns: bool = False,
    default: Any = (),
) -> Section:
    """The section of a kind of which authors write a single field: a list, or a number.

    Args:
        kind: The kind.
        field: The field.
        form: Its type as authors write it.
        about: What the section is for.
        name: Its name where it is not that of the kind.
        of_turns: Whether a single turn may have it, too.
        default: What stands for a section that is not there.
    """
    return Section(
        name=name or kind.kind_name(),
        about=about,
        form=form,
        read=lambda value, turn: [kind(turn=turn, **{field: value})],
        # a block that is a mere value has no room for more
        write=lambda _kind, fields: fields[field] if fields.keys() == {field} else None,
        of_turns=of_turns,
        default=default,
    )


def _block_of(
    kind: type[AnyExpectation], rules: Iterable[Callable[[Any], object]], forms: Mapping[str, Any]
) -> type[Block]:
    mixins = tuple(base for base in kind.__bases__ if base is not AnyExpectation)
    inherited = {
        name for base in mixins if issubclass(base, BaseModel) for name in base.model_fields
    }
    fields: dict[str, Any] = {}
    for name, info in kind.model_fields.items():
        if name in forms:
            fields[name] = (forms[name], ... if info.is_required() else info.default)
        elif name not in inherited | {"kind", "turn", "required"}:
            fields[name] = (info.annotation, info)
    fields["required"] = (bool, True)

    def obey(block: Any) -> Any:
        for rule in rules:
            rule(block)
        return block

    lines = [getdoc(base) or "" for base in (kind, *mixins)]
    return create_model(
        f"{kind.__name__}Block",
        __base__=(*mixins, Block),
        __doc__="\n\n".join(lines) + "\n    required: False makes the result informational.",
        __module__=kind.__module__,
        __validators__={"obey": cast("Any", model_validator(mode="after")(obey))},
        **fields,
    )
