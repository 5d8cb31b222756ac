"""Suites with scripted models, for tests."""

from pathlib import Path

ASSISTANT = """
model: "*"
replies:
  - {user: hello, text: Hi there!}
  - {user: weather, calls: {get_weather: {city: Zurich}}}
  - {result: get_weather, text: "{{ result.degrees }} degrees in {{ result.city }}"}
  - {user: think, reasoning: Let me see., text: Done.}
  - {user: limit, error: {kind: rate_limit, retry_after_s: 0}, times: 1}
  - {user: limit, text: Thanks for waiting.}
  - {user: busy, error: overloaded}
  - {user: forbidden, refusal: I cannot help with that.}
  - {user: broken, calls: {get_weather: '{"city": "Zur'}}
  - {user: long, text: "one two three four", finish: length, usage: {input: 7, output: 9}}
  - {user: cut, text: "one two three four", stream: {characters: 4, cut_after: 3}}
"""


def write_script(folder: Path, text: str = ASSISTANT, name: str = "assistant.yaml") -> Path:
    """A suite with one scripted model; its folder."""
    (folder / "models").mkdir(parents=True, exist_ok=True)
    (folder / "models" / name).write_text(text, encoding="utf-8")
    return folder
