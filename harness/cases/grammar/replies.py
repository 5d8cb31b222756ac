"""Blocks about the reply: its text, its shape, its quality."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from harness.cases.grammar.values import JsonSchema, ModelName, Needle, Needles, Pattern, listed
from harness.model import Frozen, Json

_SHAPES = {str: "model", dict: "json_schema"}


class TextBlock(Frozen):
    """What the reply's text says.

    Attributes:
        contains: Phrases that must be there.
        not_contains: Phrases that must not.
        regex: Regular expressions that must be found; case does not matter.
        match: Whether `all` of `contains` and of `regex` are needed, or `any` one of each.
        evidence: Markers which show that the agent found what the fixtures hold.
        forbidden_evidence: Markers which show that it invented something.
        unless: Words that excuse a forbidden marker in the same sentence ("not", "never").
        exact: True: the last word of a phrase or marker may not be inflected.
        required: False makes the results informational.
    """

    contains: Needles | None = None
    not_contains: Needles | None = None
    regex: Annotated[tuple[Pattern, ...], Field(min_length=1), listed(str)] | None = None
    match: Literal["all", "any"] = "all"
    evidence: Needles | None = None
    forbidden_evidence: Needles | None = None
    unless: Needles | None = None
    exact: bool = False
    required: bool = True

    @model_validator(mode="after")
    def _nothing_idle(self) -> "TextBlock":
        if self.unless and not self.forbidden_evidence:
            raise ValueError("'unless' does nothing without 'forbidden_evidence'")
        if "match" in self.model_fields_set and not (self.contains or self.regex):
            raise ValueError("'match' does nothing without 'contains' or 'regex'")
        if self.exact and not (
            self.contains or self.not_contains or self.evidence or self.forbidden_evidence
        ):
            raise ValueError("'exact' does nothing without phrases or markers")
        return self


def _shape(value: Json) -> str:
    for kind, shape in _SHAPES.items():
        if isinstance(value, kind):
            return shape
    return "fields"


class ReplyBlock(Frozen):
    """How the reply is built.

    Attributes:
        schema_: Names of fields or headings (`[diagnosis, next_steps]`), a JSON Schema, or
            `python:package.module:Model`.
        required: False makes the result informational.
    """

    schema_: Annotated[
        Annotated[Annotated[tuple[Needle, ...], Field(min_length=1)], Tag("fields")]
        | Annotated[JsonSchema, Tag("json_schema")]
        | Annotated[ModelName, Tag("model")],
        Discriminator(_shape),
    ] = Field(alias="schema")
    required: bool = True


class SignalsBlock(Frozen):
    """That the reply is an answer and not a mere word; see `harness.model.Signals`.

    Attributes:
        words: Pieces of words that answers have.
        min_words: How many of them must be there.
        min_length: How long the text is at least, in characters.
        required: False makes the result informational.
    """

    words: Needles
    min_words: int = Field(default=2, ge=1)
    min_length: int = Field(default=50, ge=0)
    required: bool = True

    @model_validator(mode="after")
    def _reachable(self) -> "SignalsBlock":
        if self.min_words > len(self.words):
            raise ValueError(
                f"min_words {self.min_words} cannot be reached with {len(self.words)} words"
            )
        return self


class RubricBlock(Frozen):
    """How many of the criteria the reply must meet.

    Attributes:
        min_score: So many, at least 1.
        criteria: Short cues.
        synonyms: Further phrases that meet a criterion.
        required: False makes the result informational.
    """

    min_score: int = Field(ge=1)
    criteria: Annotated[tuple[Needle, ...], Field(min_length=1)]
    synonyms: dict[str, Needles] = {}
    required: bool = True

    @model_validator(mode="after")
    def _reachable(self) -> "RubricBlock":
        if self.min_score > len(self.criteria):
            raise ValueError(
                f"min_score {self.min_score} cannot be reached with {len(self.criteria)} criteria"
            )
        if idle := sorted(set(self.synonyms) - set(self.criteria)):
            raise ValueError(f"synonyms for what is no criterion: {', '.join(idle)}")
        return self


class ReferenceBlock(Frozen):
    """A text that the reply is like.

    Attributes:
        text: The reference.
        min_similarity: F1, from above 0 to 1.
        measure: `words` as they are, or their stems, as ROUGE-1 counts them (`rouge1`).
        required: False makes the result informational.
    """

    text: Needle
    min_similarity: float = Field(default=0.3, gt=0, le=1)
    measure: Literal["words", "rouge1"] = "words"
    required: bool = True
