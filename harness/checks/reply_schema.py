"""Whether a reply is structured as the case wants it."""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, TypedDict

import orjson
from pydantic import BaseModel, Discriminator, Field, Tag

from harness.checks.expectation import AnyExpectation, Needle, not_evaluated, verdict
from harness.checks.matchers import InvalidSchemaError, schema_errors
from harness.checks.phrases import quote_names
from harness.checks.replies import is_empty, no_reply, replies_of, values_of
from harness.checks.sections import Block, JsonSchema, ModelName, Phrase, Section
from harness.checks.text import tokens
from harness.errors import plain_reason
from harness.trials.decisions import CheckResult
from harness.trials.records import Reply, TrialRecord
from harness.trials.values import Json, JsonObject


class ReplySchema(AnyExpectation):
    """The reply is structured: fields in its metadata or headings in its text; or valid JSON.

    Attributes:
        fields: Names (`diagnosis`, `next_steps`); spelling variants and aliases count as the same.
        json_schema: A JSON Schema for the metadata or the JSON in the text.
        model: A Pydantic model, `python:package.module:Model`.
    """

    kind: Literal["reply_schema"] = "reply_schema"
    failure: ClassVar[str] = "schema mismatch"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    fields: tuple[Needle, ...] = ()
    json_schema: JsonObject | None = None
    model: str | None = None


ALIASES: dict[str, tuple[str, ...]] = {
    "diagnosis": ("diagnoses",),
    "hypotheses": ("hypothesis",),
    "next steps": ("next step", "recommended steps", "recommended actions"),
    "recommendations": ("recommendation",),
}
"""Other names of a field; spelling (`next_steps`, `nextSteps`, `Next Steps`) needs no entry."""

_LONGEST_HEADING = 160
_LONGEST_LABEL = 4
_ITEM = r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?"
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?P<title>\S.*)$")
_BOLD = re.compile(_ITEM + r"(?P<mark>\*\*|__)(?P<title>[^*\n]+?)(?P=mark)(?P<rest>.*)$")
_LABEL = re.compile(_ITEM + r"(?P<title>[^\W\d_][\w /&-]{0,60}?)\s*[:\uff1a](?P<rest>.*)$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{3,})\s*$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:json[c5]?)?[ \t]*\n(.*?)\n[ \t]*```", re.S | re.M | re.I)

Words = tuple[str, ...]


@lru_cache(maxsize=1024)
def words(name: str) -> Words:
    """A field's name as words.

    >>> words("nextSteps"), words("next_steps")
    (('next', 'steps'), ('next', 'steps'))
    """
    return tokens(_CAMEL.sub(" ", name))


def missing_fields(fields: Sequence[str], reply: Reply) -> list[str]:
    """The fields that are neither in the structured answer, in JSON in the text, nor headings."""
    documents = [reply.metadata, *json_in(reply.text)]
    keys = {words(key) for document in documents for key in _filled_keys(document)}
    titles = list(_titles(reply.text))
    return [field for field in fields if not _is_there(field, keys, titles)]


def json_in(text: str) -> list[Json]:
    """The JSON values that a text consists of or holds in fenced blocks, the last first."""
    whole = _parse_document(text)
    if whole is not None:
        return [whole]
    blocks = (_parse_document(block) for block in reversed(_FENCE.findall(text)))
    return [block for block in blocks if block is not None]


def labelled_text(metadata: JsonObject) -> str:
    """Names and values of a structured answer as lines, names as words; empty fields left out."""
    lines = ([*words(key), ":", *values_of(metadata[key])] for key in _filled_keys(metadata))
    return "\n\n".join(" ".join(line) for line in lines)


def _filled_keys(document: Json) -> list[str]:
    if not isinstance(document, dict):
        return []
    return [str(key) for key, value in document.items() if not is_empty(value)]


def _is_there(field: str, keys: set[Words], titles: list[tuple[Words, bool]]) -> bool:
    names = [words(name) for name in (field, *_aliases(words(field)))]
    if any("".join(name) == "".join(key) for name in names for key in keys):
        return True
    return any(_entitles(name, title, heading) for name in names for title, heading in titles)


def _aliases(field: Words) -> tuple[str, ...]:
    for name, others in ALIASES.items():
        family = (name, *others)
        if field in {words(each) for each in family}:
            return family
    return ()


def _entitles(name: Words, title: Words, heading: bool) -> bool:  # noqa: FBT001 - the pair's flag
    """A heading may say more around the name; a label only a little before it."""
    if not heading:
        return len(title) <= _LONGEST_LABEL and title[-len(name) :] == name
    return any(title[i : i + len(name)] == name for i in range(len(title) - len(name) + 1))


def _titles(text: str) -> Iterator[tuple[Words, bool]]:
    """What entitles a piece of the text.

    Yields:
        The title's words, where something stands under or behind it; True marks headings.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        title, rest, heading = _title(lines, number)
        if title and (rest or _has_body(lines, number)):
            yield words(title), heading
        elif _UNDERLINE.match(line[:_LONGEST_HEADING]) and number and _has_body(lines, number):
            yield words(lines[number - 1][:_LONGEST_HEADING]), True


def _title(lines: list[str], number: int) -> tuple[str, str, bool]:
    line = lines[number][:_LONGEST_HEADING]
    if found := _HEADING.match(line):
        return found["title"], "", True
    if found := _BOLD.match(line):
        return found["title"], found["rest"].strip(" :\uff1a"), True
    if found := _LABEL.match(line):
        return found["title"], found["rest"].strip(), False
    return "", "", False


def _has_body(lines: list[str], number: int) -> bool:
    """Whether the first line below that is not blank is text and not the next heading."""
    below = next((line for line in lines[number + 1 :] if not _is_rule(line)), "")
    return bool(below) and not _HEADING.match(below[:_LONGEST_HEADING])


def _is_rule(line: str) -> bool:
    return not line.strip() or _UNDERLINE.match(line[:_LONGEST_HEADING]) is not None


def _parse_document(text: str) -> Json:
    """The JSON object or array that a text is, or None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


PREFIX = "python:"

_MOVED = {"harness.demo.review.response": "harness.checks.reviews"}
"""Where models of this project stand now that older suites and stored runs name elsewhere."""


class ModelError(Exception):
    """A case names a model that cannot be had."""


ModelResolver = Callable[[str], type[BaseModel]]


def import_model(name: str) -> type[BaseModel]:
    """The model that `python:package.module:Model` names.

    Raises:
        ModelError: when the name is malformed, the module cannot be imported, or what it names is
            not a Pydantic model.
    """
    module, colon, attribute = name.removeprefix(PREFIX).partition(":")
    if not (name.startswith(PREFIX) and module and colon and attribute):
        raise ModelError(f"{name!r} does not name a model; write python:package.module:Model")
    try:
        found = getattr(importlib.import_module(_MOVED.get(module, module)), attribute)
    except Exception as error:  # the user's module may raise anything
        raise ModelError(f"{name!r} cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, BaseModel)):
        raise ModelError(f"{name!r} is not a Pydantic model")
    return found


_MOST_ERRORS = 5


class SchemaNumbers(TypedDict, total=False):
    """What the numbers of a result on a reply's structure hold; not all where it is not evaluated.

    Attributes:
        matched: Whether the reply has the structure.
        missing: Fields that it lacks.
        errors: What else is wrong, a sentence each.
    """

    matched: bool
    missing: list[str]
    errors: list[str]


def check_reply_schema(
    record: TrialRecord, expectation: ReplySchema, *, resolve: ModelResolver = import_model
) -> CheckResult:
    """Whether the (last) reply has the fields, and its JSON suits the schema and the model.

    A reply's JSON is its structured answer, or else what its text consists of or holds in a
    fenced block; one of them must suit. The numbers are `SchemaNumbers`.
    """
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if not (expectation.fields or expectation.json_schema is not None or expectation.model):
        return not_evaluated(expectation, "the case names no fields, no schema and no model")
    reply = replies[-1]
    missing = missing_fields(expectation.fields, reply)
    try:
        errors = [
            *_against_schema(reply, expectation),
            *_against_model(reply, expectation, resolve),
        ]
    except (InvalidSchemaError, ModelError) as error:
        return not_evaluated(expectation, str(error), missing=missing)
    reasons = [f"missing fields: {quote_names(missing)}"] if missing else []
    reasons += errors[:_MOST_ERRORS]
    numbers: SchemaNumbers = {"matched": not reasons, "missing": missing, "errors": errors}
    reason = "schema mismatch: " + "; ".join(reasons) if reasons else ""
    return verdict(expectation, reason, **numbers)


def _against_schema(reply: Reply, expectation: ReplySchema) -> list[str]:
    schema = expectation.json_schema
    if schema is None:
        return []
    return _least([schema_errors(schema, document) for document in _documents(reply)])


def _against_model(reply: Reply, expectation: ReplySchema, resolve: ModelResolver) -> list[str]:
    if not expectation.model:
        return []
    from pydantic import ValidationError

    model = resolve(expectation.model)
    attempts: list[list[str]] = []
    for document in _documents(reply):
        try:
            model.model_validate(document)
        except ValidationError as error:
            attempts.append(
                [f"{_pointer(each['loc'])}: {plain_reason(each['msg'])}" for each in error.errors()]
            )
        else:
            return []
    return _least(attempts)


def _documents(reply: Reply) -> list[Json]:
    return [*([] if reply.metadata is None else [reply.metadata]), *json_in(reply.text)]


def _least(attempts: list[list[str]]) -> list[str]:
    """The errors of the document that suits best."""
    return min(attempts, key=len, default=["the reply holds no JSON"])


def _pointer(location: tuple[int | str, ...]) -> str:
    return "/" + "/".join(str(part) for part in location)


def _form(value: Json) -> str:
    if isinstance(value, str):
        return "model"
    return "json_schema" if isinstance(value, dict) else "fields"


class ReplyBlock(Block):
    """How the reply is built.

    Attributes:
        schema_: Names of fields or headings (`[diagnosis, next_steps]`), a JSON Schema, or
            `python:package.module:Model`.
        required: False makes the result informational.
    """

    schema_: Annotated[
        Annotated[Annotated[tuple[Phrase, ...], Field(min_length=1)], Tag("fields")]
        | Annotated[JsonSchema, Tag("json_schema")]
        | Annotated[ModelName, Tag("model")],
        Discriminator(_form),
    ] = Field(alias="schema")
    required: bool = True

    def expectations(self, turn: int | None) -> Iterator[AnyExpectation]:
        """What the block stands for, in a turn or in the whole trial.

        Yields:
            One expectation.
        """
        schema = {_form(self.schema_): self.schema_}
        yield ReplySchema.model_validate({**schema, "turn": turn, "required": self.required})


def _as_block(_kind: str, fields: JsonObject) -> JsonObject:
    left = dict(fields)
    forms = [left.pop(name) for name in ("fields", "json_schema", "model") if name in left]
    return {"schema": forms[0] if len(forms) == 1 else None, **left}


REPLY = Section("reply", "How the reply is built.", ReplyBlock, ReplyBlock.expectations, _as_block)
