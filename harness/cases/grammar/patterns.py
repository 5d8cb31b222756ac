"""Patterns as authors write them: refused where they could not fail, or never hold."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from harness.cases.grammar.values import listed
from harness.model import Frozen, never_matches, read_pattern, search_pattern


def _sound(written: str) -> str:
    kind, wanted = read_pattern(written)
    if not wanted.strip():
        raise ValueError(f"{written!r} has nothing to look for after its prefix")
    if kind == "regex":
        _compiles(wanted)
    return written


def _compiles(pattern: str) -> None:
    if search_pattern(pattern).search(""):
        raise ValueError(f"{pattern!r} matches every output, even an empty one")
    if never_matches(pattern):
        raise ValueError(f"{pattern!r} matches no text: something stands before ^ or after $")


WrittenPattern = Annotated[str, Field(min_length=1), AfterValidator(_sound)]


class PatternsBlock(Frozen):
    """Patterns that the output meets.

    Attributes:
        patterns: `regex:`, `contains:`, `not_contains:`, or a text alone; none: the output has more
            than 10 characters.
        match: Whether `all` of them are needed, or `any` one.
        required: False makes the result informational.
    """

    patterns: Annotated[tuple[WrittenPattern, ...], listed(str)] = ()
    match: Literal["all", "any"] = "all"
    required: bool = True

    @model_validator(mode="after")
    def _sides(self) -> "PatternsBlock":
        if reason := pattern_clash(self.patterns, self.match):
            raise ValueError(reason)
        return self


def pattern_clash(patterns: tuple[str, ...], match: Literal["all", "any"]) -> str:
    """Why no output could meet patterns, or any could; an empty string for sound ones."""
    read = [read_pattern(each) for each in patterns]
    needed = {wanted.casefold() for kind, wanted in read if kind in {"contains", ""}}
    refused = [wanted for kind, wanted in read if kind == "not_contains"]
    for wanted in refused:
        if match == "all" and any(wanted.casefold() in each for each in needed):
            return f"{wanted!r} is both required and forbidden"
        if match == "any" and wanted.casefold() in needed:
            return f"{wanted!r} may be there or not: any output meets one of the two"
    return ""
