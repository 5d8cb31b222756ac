"""A new driver takes a module and a line of the table, as the documents say."""

from pathlib import Path

import pytest

from tests.additions import Addition, run_with

MODULE = '''
"""An agent that says everything a few times."""

from typing_extensions import override

from harness.agents.protocol import ANY_TOOLS, AgentDriver, DriverKind, Task, Transcript
from harness.model import Reply


class Parrot(AgentDriver):
    """Answers with the prompt, several times.

    Args:
        times: How often.
    """

    tools = ANY_TOOLS

    def __init__(self, times: int) -> None:
        self._times = times

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        for turn, prompt in enumerate(task.prompts, start=1):
            text = " ".join([prompt] * self._times)
            transcript.note_reply(Reply(turn=turn, prompt=prompt, text=text))

    @override
    async def close(self) -> None:
        return


PARROT = DriverKind(
    lambda rest, _options: Parrot(int(rest)),
    url=lambda rest: f"parrot://{rest}",
    takes_fixtures=lambda _options: True,
    environment=lambda _options, inherited: {"PERCH": inherited.get("PERCH", "")},
)
'''
CASE = 'id: A\ninput: [{user: "Hello."}]\nexpect: {text: {regex: ["Hello[.] Hello[.]$"]}}\n'
PROGRAM = """
from harness.agents import DriverOptions, agent_url, takes_fixtures, visible_environment
from harness.cli.main import main

options = DriverOptions()
assert agent_url("parrot:2") == "parrot://2"
assert takes_fixtures("parrot:2", options)
assert visible_environment("parrot:2", options, {"PERCH": "p", "A": "b"}) == {"PERCH": "p"}
sys.argv = ["harness", "run", "case.yaml", "--agent", "parrot:2"]
main()
"""
ADDITION = Addition(
    module="harness/agents/parrot.py",
    source=MODULE,
    table="harness/agents/specs.py",
    imported="from harness.agents.parrot import PARROT",
    after="_OWN: Mapping[str, DriverKind] = {\n",
    line='    "parrot": PARROT,\n',
)


@pytest.mark.slow
def test_a_driver_is_added_by_a_module_and_a_line(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(CASE, encoding="utf-8")
    assert "cases  1/1" in run_with(ADDITION, tmp_path, PROGRAM)
