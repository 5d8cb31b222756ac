import yaml

from harness.cases.requests import request_text
from harness.cases.writing.native_case import written_case
from harness.model import (
    Case,
    ExitCode,
    Fixtures,
    Policy,
    ReferenceCall,
    ReferenceTurn,
    ServerState,
    TextContains,
    Turn,
)
from mockserver.model import Fault

FAULT = Fault.model_validate({"method": "x.*", "status": 503, "origin": "a faults[0]"})


def test_only_what_is_said_is_written() -> None:
    case = Case(id="a", turns=(Turn(user="Why?"),), expect=(TextContains(needles=("so",)),))
    assert written_case(case) == {
        "id": "a",
        "input": "Why?",
        "fixtures": {"overrides": []},
        "expect": {"text": {"contains": ["so"]}},
    }


def test_everything_else_is_written_in_its_place() -> None:
    case = Case(
        id="a",
        title="T",
        tags=("x",),
        mode="how-to",
        turns=(Turn(user="A?"), Turn(user="B?")),
        fixtures=Fixtures(overrides=("o",), faults=(FAULT,)),
        expect=(
            ServerState(unchanged=("*",)),
            TextContains(needles=("so",), turn=2),
            ExitCode(code=1, turn=2),
        ),
        policy=Policy(rate=0.5),
        reference=(ReferenceTurn(reports=(ReferenceCall(name="look"),)), ReferenceTurn(answer="B")),
        variables={"N": 3},
    )
    written = written_case(case)
    assert written["input"] == ["A?", {"user": "B?", "expect": {"text": {"contains": ["so"]}}}]
    assert written["checks"] == [{"kind": "exit_code", "turn": 2, "code": 1}]
    assert (written["mode"], written["policy"]) == ("how-to", {"rate": 0.5})
    assert written["reference"] == [{"reports": [{"name": "look"}]}, {"answer": "B"}]
    assert written["variables"] == {"N": 3}
    assert "expect" not in written
    assert "origin" not in yaml.safe_dump(written)


def test_a_request_says_itself() -> None:
    request = {"content": "x"}
    silent = Case(id="a", turns=(Turn(user=request_text(request)),), request=request)
    assert "input" not in written_case(silent)
    spoken = silent.model_copy(update={"turns": (Turn(user="Review this"),)})
    assert written_case(spoken)["input"] == ["Review this"]
