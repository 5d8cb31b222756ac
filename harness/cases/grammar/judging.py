"""What an author writes about judges."""

from typing import Annotated

from harness.cases.grammar.values import listed
from harness.model import JudgeTerms


class JudgeBlock(JudgeTerms):
    """A question that a model answers about the reply (see `harness.model.Judge`).

    Attributes:
        required: False makes the result informational.
    """

    required: bool = True


JudgeList = Annotated[tuple[JudgeBlock, ...], listed(dict)]
