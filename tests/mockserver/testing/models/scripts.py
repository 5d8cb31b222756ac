"""A script that every framework plays."""

from pathlib import Path

SCRIPT = """
replies:
  - {user: weather, tool: get_weather, calls: {get_weather: {city: Bonn}}}
  - {result: get_weather, text: "It is {{ result.degrees }} degrees.", reasoning: Easy.}
  - {user: broken, calls: {get_weather: "{"}}
  - {user: limit, error: rate_limit}
  - {user: own, error: {kind: odd, status: 418, message: I am a teapot.}}
  - {user: bad, text: "{{ result.degrees }}"}
  - {user: when, when: "1 / 0 > 1", text: never}
  - {user: refuse, refusal: I will not.}
  - {user: late, text: Well., delay_ms: 1}
  - {system: kind, user: hello, text: Hello.}
"""


def write_script(folder: Path) -> Path:
    path = folder / "models" / "agent.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SCRIPT)
    return path
