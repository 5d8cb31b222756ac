"""The `expect` block of a case file: read into expectations, and written back.

`Expect` and `TurnExpect` are made when this module is loaded: they have a field for each section of
the table of checks, with what `Section.form` says authors write there. A class such as
`RubricBlock` is made by `section_of`, from the kind of that name in the module that calls it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import (
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import override

from harness.checks.expectation import AnyExpectation
from harness.checks.registry import CHECKS, Expectation
from harness.checks.sections import Block, Section
from harness.trials.values import Json, JsonObject

SECTIONS: tuple[Section, ...] = tuple(
    {check.section.name: check.section for check in CHECKS.own.values()}.values()
)
"""Those of the house; a plug-in has one of the name of its kind."""

_BY_NAME = {section.name: section for section in SECTIONS}


def section_named(name: str) -> Section | None:
    """The section of a word under `expect`, of the house or of a plug-in; None where none is."""
    if name not in _BY_NAME and name in CHECKS:
        return CHECKS[name].section
    return _BY_NAME.get(name)


class OpenBlock(Block):
    """A block of `expect`, in which words of plug-ins may stand beside those of the house."""

    @model_validator(mode="wrap")
    @classmethod
    def _let_plugins_read(cls, value: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, dict) and (unknown := value.keys() - cls.model_fields):
            added = tuple(sorted(name for name in map(str, unknown) if _may_add(cls, name)))
            if added:
                return cast("type[Self]", _with_sections(cls, added)).model_validate(value)
        return read(value)

    @classmethod
    @override
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        added = tuple(name for name in CHECKS.plugins() if _may_add(cls, name))
        if added and cls in (Expect, TurnExpect):
            properties = handler.resolve_ref_schema(schema)["properties"]
            for name in added:
                section = CHECKS[name].section
                form = TypeAdapter[Any](section.form).core_schema
                properties[name] = {**handler(form), "description": section.about}
        return schema


def _may_add(block: type[OpenBlock], name: str) -> bool:
    section = None if name in _BY_NAME else section_named(name)
    return section is not None and (section.of_turns or issubclass(block, Expect))


@cache
def _with_sections(block: type[OpenBlock], names: tuple[str, ...]) -> type[OpenBlock]:
    """A block with fields for these sections of plug-ins, too."""
    sections = [CHECKS[name].section for name in names]
    return create_model(block.__name__, __base__=block, **_fields_of(sections))


def _fields_of(sections: Iterable[Section]) -> dict[str, Any]:
    return {
        section.name: (
            section.form | None if section.default is None else section.form,
            section.default,
        )
        for section in sections
    }


def _model_of(name: str, about: str, base: type[OpenBlock], *, of_turns: bool) -> type[OpenBlock]:
    sections = [section for section in SECTIONS if section.of_turns is of_turns]
    words = "\n".join(f"    {section.name}: {section.about}" for section in sections)
    return create_model(
        name,
        __base__=base,
        __doc__=f"{about}\n\nAttributes:\n{words}",
        __module__=__name__,
        **_fields_of(sections),
    )


if TYPE_CHECKING:

    class TurnExpect(OpenBlock):
        """What the reply to one turn must show."""

    class Expect(TurnExpect):
        """What a trial must show: what a turn can show, and what is left at the end."""

else:
    TurnExpect = _model_of(
        "TurnExpect", "What the reply to one turn must show.", OpenBlock, of_turns=True
    )
    Expect = _model_of(
        "Expect",
        "What a trial must show: what a turn can show, and what is left at the end.",
        TurnExpect,
        of_turns=False,
    )


def expectations(expect: TurnExpect | None, turn: int | None = None) -> tuple[Expectation, ...]:
    """What a block expects, of one turn or of the whole trial."""
    written = {} if expect is None else dict(expect)
    added = (CHECKS[name].section for name in written if name not in _BY_NAME)
    return tuple(
        item
        for section in (*SECTIONS, *added)
        if (value := written.get(section.name)) not in (None, ())
        for item in section.read(value, turn)
    )


def written_block(
    expect: Sequence[Expectation], turn: int | None
) -> tuple[JsonObject, tuple[Expectation, ...]]:
    """Expectations of one turn, or of the whole trial, as a block of a case file.

    Args:
        expect: The expectations.
        turn: The turn they speak of; None for the whole trial.

    Returns:
        The block, and those that are not in it.
    """
    block: JsonObject = {}
    left = []
    for item in expect:
        fragment = _fragment(item, turn)
        both = None if fragment is None else _merged_blocks(block, fragment)
        if both is None:
            left.append(item)
        else:
            block = both
    within = [item for item in expect if not any(item is other for other in left)]
    if not _stands_for(block, within, turn):
        return {}, tuple(expect)
    return block, tuple(left)


def without_defaults(item: Expectation) -> JsonObject:
    """An expectation as data, without the fields that have their defaults."""
    return {"kind": item.kind} | item.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _fragment(item: Expectation, turn: int | None) -> JsonObject | None:
    fields = without_defaults(item)
    kind = fields.pop("kind")
    fields.pop("turn", None)
    section = CHECKS[item.kind].section
    fragment = {section.name: section.write(kind, fields)}
    return fragment if _stands_for(fragment, [item], turn) else None


def _stands_for(block: JsonObject, expect: Iterable[AnyExpectation], turn: int | None) -> bool:
    """Whether a block, read again, expects just this."""
    model = Expect if turn is None else TurnExpect
    try:
        found = expectations(model.model_validate(block), turn)
    except ValidationError:
        return False
    return Counter(map(repr, found)) == Counter(map(repr, expect))


def _merged_blocks(block: JsonObject, fragment: JsonObject) -> JsonObject | None:
    """Two blocks of `expect` in one, or None where they contradict."""
    merged = dict(block)
    for name, value in fragment.items():
        section = section_named(name)
        both = _merge_section(section, merged[name], value) if section and name in merged else value
        if both is None:
            return None
        merged[name] = both
    return merged


def _merge_section(section: Section, there: Json, value: Json) -> JsonObject | None:
    """What is written in a section twice, in one; None where the two contradict."""
    if not (isinstance(there, dict) and isinstance(value, dict)):
        return None
    if any(there.get(key) != value.get(key) for key in section.shared):
        return None
    merged = dict(there)
    for key, item in value.items():
        if key in section.shared:
            continue
        if key not in merged:
            merged[key] = item
        elif key in section.joined:
            merged[key] = [*merged[key], *item]
        elif (both := _merge_section(section, merged[key], item)) is not None:
            merged[key] = both
        else:
            return None
    return merged
