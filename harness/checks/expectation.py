"""What every kind of expectation shares, and the results that a check can give."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from harness.trials.decisions import Attribution, CheckResult, CheckStatus
from harness.trials.values import Frozen, Json

Needle = Annotated[str, Field(min_length=1)]
"""A text to look for: never empty, for an empty one is in everything."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a rule of a case, which `understudy lint` compares with the names that exist.

    Attributes:
        kind: What it names.
        name: The name, or a glob.
        needed: True: the rule cannot hold without it; False: it forbids or allows.
        inside: Names of fields, parameters or arguments that the rule speaks of.
    """

    kind: Literal["tool", "method", "collection"]
    name: str
    needed: bool = False
    inside: tuple[str, ...] = ()


class AnyExpectation(Frozen):
    """What all kinds of expectations share.

    The class attributes are what the rest of the harness knows of a kind; no other module lists
    kinds. The keys of `CheckResult.numbers` are the check's own: those with a meaning elsewhere are
    named here, or typed beside the check (`JudgeNumbers`, `RubricNumbers`, ...).

    Attributes:
        turn: The turn it speaks of, from 1; None for the whole trial.
        required: False makes its result informational.
        kind: Which kind it is, as in stored cases and results; each kind has a name of its own.
        failure: Under which class reports count trials that do not meet it.
        problem_lists: Keys of numbers that hold lists of texts: what is missing, or what is there
            and must not be. Reports name the texts that failures of several cases have in common.
        expected_numbers: Keys of numbers that say what was expected, in the order in which the
            report by task shows them.
        is_graded: Whether the number `score`, 0 to 1, is the share of the expectation that a trial
            met; else a trial meets all of it or nothing.
        quotes_values: Whether it asks, word by word, for values that fixtures may hold. `understudy
            doctor` replaces these by others (canaries) to see whether an agent looks.
        holds_patterns: Whether its texts are regular expressions. The values of variables are
            escaped in them.
        rests_on_answers: Whether what the server answered decides it. A pass that needs answers
            which the server made up is noted.
        text_field: The field with the texts that the reply must hold; a text that only a made-up
            answer holds is noted. Empty for none.
        of_other_tools: Whether it asks for what another tool found, so that no reply is needed.
        unevaluated_attribution: Whose failure it is when it cannot be evaluated.
    """

    failure: ClassVar[str] = ""
    problem_lists: ClassVar[tuple[str, ...]] = ()
    expected_numbers: ClassVar[tuple[str, ...]] = ()
    is_graded: ClassVar[bool] = False
    quotes_values: ClassVar[bool] = False
    holds_patterns: ClassVar[bool] = False
    rests_on_answers: ClassVar[bool] = False
    text_field: ClassVar[str] = ""
    of_other_tools: ClassVar[bool] = False
    unevaluated_attribution: ClassVar[Attribution] = "case"

    turn: int | None = None
    required: bool = True
    kind: str

    def mentions(self) -> Iterator[Mention]:
        """The tools, methods and collections that the expectation names.

        Yields:
            Each in the order of the fields.
        """
        yield from ()

    @classmethod
    @cache
    def kind_name(cls) -> str:
        """The name of the kind, as in stored cases and results."""
        return str(cls.model_fields["kind"].default)

    @property
    def parts(self) -> int:
        """As how many expectations it counts in the score of a trial; at least 1."""
        return 1

    @property
    def final_collections(self) -> tuple[str, ...]:
        """The collections whose state at the end of a trial must be kept to check it."""
        return ()


def passed(expectation: AnyExpectation, **numbers: Json) -> CheckResult:
    """What was expected was found."""
    return _result(expectation, "pass", "", numbers)


def failed(expectation: AnyExpectation, reason: str, **numbers: Json) -> CheckResult:
    """Something else was found; the reason says what was expected and what is there."""
    return _result(expectation, "fail", reason, numbers)


def not_evaluated(expectation: AnyExpectation, reason: str, **numbers: Json) -> CheckResult:
    """The facts to decide are missing; never a pass."""
    return _result(expectation, "not_evaluated", reason, numbers)


def verdict(expectation: AnyExpectation, reason: str, **numbers: Json) -> CheckResult:
    """Passed when there is no reason against it, else failed."""
    return _result(expectation, "fail" if reason else "pass", reason, numbers)


def with_excess(result: CheckResult, excess: str) -> CheckResult:
    """A result with the part of its reason that nothing mends which the agent does later.

    Args:
        result: The result.
        excess: What was done more often than allowed, or an empty string. It decides over trials
            in which a recording is missing.
    """
    if not excess:
        return result
    return result.model_copy(update={"numbers": {**result.numbers, "excess": excess}})


def _result(
    expectation: AnyExpectation, status: CheckStatus, reason: str, numbers: dict[str, Json]
) -> CheckResult:
    if not expectation.required and status != "not_evaluated":
        numbers = {**numbers, "passed": status == "pass"}
        status = "informational"
    return CheckResult(
        kind=expectation.kind,
        status=status,
        reason=reason,
        turn=expectation.turn,
        numbers=numbers,
        required=expectation.required,
    )
