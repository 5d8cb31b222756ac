"""Adapters of frameworks that are not installed here, by small frameworks of the same form.

`tests/clients/test_tools_of_frameworks.py` meets the real ones.
"""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from typing_extensions import override

from mockserver.tools import Calls
from mockserver.tools.calls import adapter_of
from tests.mockserver.tools.test_calls import Session

MOCKED = {"paid": 5}


class Context:
    """What frameworks hand to functions beside arguments, under the names of their types."""


RunContextWrapper = type("RunContextWrapper", (Context,), {})
FunctionInvocationContext = type("FunctionInvocationContext", (Context,), {})


def pay(cents: int, note: str = "x") -> Any:
    return {"ran": cents, "note": note}


async def pay_later(cents: int) -> Any:
    return {"ran": cents}


def led(framework: str, module: Any, answer: Any = None) -> Session:
    session = Session({"result": MOCKED} if answer is None else answer)
    adapter_of(framework).wrap(module, Calls(session))
    return session


def asked(session: Session) -> list[tuple[str, Any]]:
    return [(name, body) for verb, name, body in session.sent if verb == "POST"]


def langchain_module() -> Any:
    class BaseTool:
        name, response_format = "pay", "content"
        args: dict[str, Any] = {"cents": {}, "note": {}}

        @override
        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)

    class Before(BaseTool):
        def _run(self, cents: int, config: Any = None) -> Any:
            return {"ran": cents}

    return SimpleNamespace(BaseTool=BaseTool, Before=Before)


def test_tools_of_langchain() -> None:
    module = langchain_module()
    session = led("langchain_core.tools.base", module)
    base: Any = module.BaseTool

    class After(base):  # type: ignore[misc]
        async def _arun(self, *args: Any, **kwargs: Any) -> Any:
            return {"ran": kwargs}

    class Pair(base):  # type: ignore[misc]
        response_format = "content_and_artifact"

        def _run(self, cents: int) -> Any:
            return ("told", {"kept": cents})

    assert module.Before()._run(5, config="c") == MOCKED
    assert asyncio.run(After()._arun(cents=6, config="c")) == MOCKED
    assert Pair()._run(cents=7) == (MOCKED, None)
    assert asked(session) == [("pay", {"cents": 5}), ("pay", {"cents": 6}), ("pay", {"cents": 7})]
    session.asked = {"result": ["told", {"kept": 1}]}
    assert Pair()._run(cents=7) == ("told", {"kept": 1})
    session.asked = {"real": 1}
    assert Pair()._run(cents=7) == ("told", {"kept": 7})


def test_tools_of_the_openai_agents_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    def function_tool(func: Any, **options: Any) -> Any:
        return SimpleNamespace(func=func, **options)

    module = SimpleNamespace(function_tool=function_tool)
    face = SimpleNamespace(function_tool=function_tool)
    monkeypatch.setitem(sys.modules, "agents", face)
    session = led("agents.tool", module)

    def with_context(context: Any, cents: int) -> Any:
        return context, cents

    assert module.function_tool(pay).func(5) == MOCKED
    assert face.function_tool(name_override="own")(pay_later).name_override == "own"
    assert asyncio.run(module.function_tool(name_override="own")(pay_later).func(5)) == MOCKED
    assert module.function_tool(with_context).func(RunContextWrapper(), 5) == MOCKED
    assert asked(session) == [
        ("pay", {"cents": 5}), ("own", {"cents": 5}), ("with_context", {"cents": 5}),
    ]  # fmt: skip


def test_tools_of_the_openai_agents_sdk_that_was_imported_before() -> None:
    def normalize(func: Any, _style: Any, _name: Any, _uses_docs: Any) -> Any:
        return func, "Pays."

    module = SimpleNamespace(_normalize_function_tool_callable=normalize)
    session = led("agents.tool", module)
    for name, function in ((None, pay), ("own", pay)):
        made, told = module._normalize_function_tool_callable(function, None, name, True)
        assert (made(5), told) == (MOCKED, "Pays.")
    assert [name for name, _ in asked(session)] == ["pay", "own"]


def test_tools_of_adk() -> None:
    class FunctionTool:
        name, func, _ignore_params = "pay", staticmethod(pay), ["tool_context"]

        async def _invoke_callable(self, target: Any, args_to_call: dict[str, Any]) -> Any:
            return target(**args_to_call)

    session = led("google.adk.tools.function_tool", SimpleNamespace(FunctionTool=FunctionTool))
    tool = FunctionTool()
    given = {"cents": 5, "tool_context": Context()}
    assert asyncio.run(tool._invoke_callable(tool.func, given)) == MOCKED
    assert asyncio.run(tool._invoke_callable(dict, {"cents": 5})) == {"cents": 5}
    assert asked(session) == [("pay", {"cents": 5})]


def test_tools_of_crewai() -> None:
    class BaseTool:
        def __init__(self, name: str) -> None:
            self.name = name

        @override
        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)

    class Tool(BaseTool):
        def __init__(self, name: str, func: Any) -> None:
            super().__init__(name)
            self.func = func

        def _run(self, *args: Any, **kwargs: Any) -> Any:
            return self.func(*args, **kwargs)

    class Before(BaseTool):
        def _run(self, cents: int, **kwargs: Any) -> Any:
            return {"ran": cents}

    module = SimpleNamespace(
        BaseTool=BaseTool, Tool=Tool, sanitize_tool_name=lambda name: name.lower().replace(" ", "_")
    )
    session = led("crewai.tools.base_tool", module)

    class After(BaseTool):
        async def _arun(self, cents: int) -> Any:
            return {"ran": cents}

    class Simple(Tool):
        @override
        def _run(self, *args: Any, **kwargs: Any) -> Any:
            return super()._run(*args, **kwargs)

    assert Before("Pay Now")._run(5, note="n") == MOCKED
    assert asyncio.run(After("Pay Now")._arun(cents=5)) == MOCKED
    assert Simple("Pay Now", pay)._run(cents=5) == MOCKED
    assert asked(session) == [
        ("pay_now", {"cents": 5, "note": "n"}),
        ("pay_now", {"cents": 5}),
        ("pay_now", {"cents": 5}),
    ]


def test_tools_of_smolagents() -> None:
    class Tool:
        inputs: dict[str, Any] = {"cents": {}, "note": {"nullable": True}}

        def __init__(self, name: str) -> None:
            self.name = name

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

    session = led("smolagents.tools", SimpleNamespace(Tool=Tool))
    tool = Tool("pay")
    for answer in (
        tool(cents=5, sanitize_inputs_outputs=True), tool({"cents": 5}), tool(5), tool(5, "n"),
    ):  # fmt: skip
        assert answer == MOCKED
    assert [body for _, body in asked(session)] == [*[{"cents": 5}] * 3, {"cents": 5, "note": "n"}]
    for wrong in ((), (1, "n", 3)):
        with pytest.raises(TypeError, match="takes cents, note"):
            tool(*wrong)
    assert Tool("final_answer")("done") == (("done",), {})


def test_tools_of_the_claude_agent_sdk() -> None:
    class SdkMcpTool:
        def __init__(self, name: str, handler: Any) -> None:
            self.name, self.handler = name, handler

    async def handler(arguments: Any) -> Any:
        return {"content": [{"type": "text", "text": str(arguments)}]}

    session = led("claude_agent_sdk", SimpleNamespace(SdkMcpTool=SdkMcpTool))
    tool = SdkMcpTool("pay", handler)
    told = asyncio.run(tool.handler({"cents": 5}))
    assert told == {"content": [{"type": "text", "text": json.dumps(MOCKED)}]}
    session.asked = {"result": "done"}
    assert asyncio.run(tool.handler({}))["content"][0]["text"] == "done"
    session.asked = {"real": 1}
    assert asyncio.run(tool.handler({}))["content"][0]["text"] == "{}"


def test_tools_of_strands() -> None:
    class DecoratedFunctionTool:
        def __init__(self, name: str, spec: Any, func: Any, metadata: Any) -> None:
            self.func = func

    module = SimpleNamespace(DecoratedFunctionTool=DecoratedFunctionTool)
    session = led("strands.tools.decorator", module)

    def with_agent(cents: int, agent: Any) -> Any:
        return cents, agent

    async def stream(cents: int) -> Any:
        yield cents

    assert DecoratedFunctionTool("pay", {}, with_agent, None).func(5, agent=Context()) == MOCKED
    assert DecoratedFunctionTool("pay", {}, stream, None).func is stream
    assert asked(session) == [("pay", {"cents": 5})]


def test_tools_of_autogen() -> None:
    class FunctionTool:
        def __init__(self, func: Any, name: str) -> None:
            self._func, self.name = func, name

    session = led("autogen_core.tools._function_tool", SimpleNamespace(FunctionTool=FunctionTool))

    def with_token(cents: int, cancellation_token: Any) -> Any:
        return cents, cancellation_token

    assert FunctionTool(with_token, "pay")._func(cents=5, cancellation_token=Context()) == MOCKED
    assert asked(session) == [("pay", {"cents": 5})]


def test_tools_of_the_agent_framework() -> None:
    class FunctionTool:
        name = "pay"

        async def _invoke_function(self, call_kwargs: Any) -> Any:
            return call_kwargs

    session = led("agent_framework._tools", SimpleNamespace(FunctionTool=FunctionTool))
    given = {"cents": 5, "context": FunctionInvocationContext()}
    assert asyncio.run(FunctionTool()._invoke_function(given)) == MOCKED
    assert asked(session) == [("pay", {"cents": 5})]


def test_a_function_keeps_its_rest_of_arguments() -> None:
    def rest(cents: int, **more: Any) -> Any:
        return cents, more

    session = Session({"result": 1})
    assert Calls(session).lead("pay", rest)(5, note="n") == 1
    assert asked(session) == [("pay", {"cents": 5, "note": "n"})]
