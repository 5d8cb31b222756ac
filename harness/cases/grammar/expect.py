"""What an author writes under `expect`, for one turn and for the whole trial."""

from typing import Annotated

from pydantic import BeforeValidator

from harness.cases.grammar.conduct import (
    Grounded,
    LoopsBlock,
    MilestoneList,
    MinefieldList,
    RoutingBlock,
    WitnessesBlock,
)
from harness.cases.grammar.judging import JudgeList
from harness.cases.grammar.patterns import PatternsBlock
from harness.cases.grammar.replies import (
    ReferenceBlock,
    ReplyBlock,
    RubricBlock,
    SignalsBlock,
    TextBlock,
)
from harness.cases.grammar.services import ServiceBlock
from harness.cases.grammar.trajectories import BudgetBlock, PhaseList, StopBlock, ToolsBlock
from harness.cases.grammar.values import named
from harness.cases.grammar.worlds import File, ServerBlock
from harness.model import Frozen

_patterns = BeforeValidator(
    lambda value: value if isinstance(value, dict | PatternsBlock) else {"patterns": value},
    json_schema_input_type=str | list[str] | PatternsBlock,
)


class TurnExpect(Frozen):
    """What the reply to one turn must show.

    Attributes:
        text: What it says.
        reply: How it is built.
        signals: How long it is, and how many of some words it has.
        rubric: How many criteria it must meet.
        tools: Which tools the agent calls.
        reference: A text that it is like.
        budget: Upper limits.
        stop: Why the agent stopped.
        phases: Which tools a range of steps may use: `{first, last, tools}`.
        routing: For which handler the agent decides.
        loops: How often it makes an answer again.
        grounding: That what it quotes has a source.
        judge: Questions that a model answers about it.
        service: What a service answers.
        patterns: What the output matches.
    """

    text: TextBlock | None = None
    reply: ReplyBlock | None = None
    signals: SignalsBlock | None = None
    rubric: RubricBlock | None = None
    tools: ToolsBlock | None = None
    reference: Annotated[ReferenceBlock, named("text", ReferenceBlock)] | None = None
    budget: BudgetBlock | None = None
    stop: StopBlock | None = None
    phases: PhaseList = ()
    routing: RoutingBlock | None = None
    loops: LoopsBlock | None = None
    grounding: Grounded | None = None
    judge: JudgeList = ()
    service: ServiceBlock | None = None
    patterns: Annotated[PatternsBlock, _patterns] | None = None


class Expect(TurnExpect):
    """What a trial must show: what a turn can show, and what is left at the end.

    Attributes:
        milestones: What must happen, each after those that it names.
        minefields: What must never happen.
        witnesses: That the agent's word and the server's agree.
        server: What the server saw and holds.
        files: Files of the workspace at the end: `{path, contains, absent}`.
        exit_code: What the agent's process exits with.
    """

    milestones: MilestoneList = ()
    minefields: MinefieldList = ()
    witnesses: WitnessesBlock | None = None
    server: ServerBlock | None = None
    files: tuple[File, ...] = ()
    exit_code: int | None = None
