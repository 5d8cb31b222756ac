import pytest

from harness.cases.chrome.markdown import CaseText, parse


def conversation(*lines: str) -> CaseText:
    return parse("\n".join(["# EC-001: Title", "", "## Conversation", *lines, "", "## Cleanup"]))


@pytest.mark.parametrize(
    ("lines", "turns"),
    [
        (['User: "Why?"'], ["Why?"]),
        (["User: \u201cWhy?\u201d"], ["Why?"]),
        (["User: \u2018Why?\u2019"], ["Why?"]),
        (["**User:** Why?"], ["Why?"]),
        (["**User**: Why?"], ["Why?"]),
        (['**User:** "Why?"'], ["Why?"]),
        (["**User (Turn 0):** Look.", "", "**User (Turn 1):** Confirm"], ["Look.", "Confirm"]),
        (['User: "One."', 'User: "Two."'], ["One.", "Two."]),
        (['- User: "One."', '2. User: "Two."'], ["One.", "Two."]),
        (['User 1: "One."', 'user turn 2: "Two."'], ["One.", "Two."]),
        (['User: "He said "hi" to me."'], ['He said "hi" to me.']),
        (['User: "First line', "", 'Error: second line"'], ["First line\n\nError: second line"]),
        (["User:", '"On the next line"'], ["On the next line"]),
        (["User:", "plain", "text"], ["plain\ntext"]),
        (["**User:** See https://example.com", "and more"], ["See https://example.com\nand more"]),
        (["**User:**", "> quoted", "> twice"], ["quoted\ntwice"]),
        (["### Turn 1", 'User: "A"', "<!-- note -->", "### Turn 2", "User: B"], ["A", "B"]),
    ],
)
def test_user_lines_become_turns_without_label_and_quotes(
    lines: list[str], turns: list[str]
) -> None:
    """CEP-08, CEP-51, CEP-52: the text between the quotes is the prompt, exactly."""
    found = conversation(*lines)
    assert (list(found.turns), found.problems) == (turns, ())


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["User: Why?", 'Assistant: "Because."'], 5, "'Assistant' is no label"),
        (["**User:** Why?", "**Expected:** a diagnosis"], 5, "'Expected' is no label"),
        (["Why?"], 4, "'Why?' belongs to no User line"),
        (['User: "One."', "and more"], 5, "'and more' belongs to no User line"),
        (["", 'User: "Why?'], 5, "the quoted prompt is never closed"),
        (["User:"], 4, "the prompt is empty"),
        (['User: ""'], 4, "the prompt is empty"),
        ([], 3, "the Conversation holds no User line"),
        (["A" * 60], 4, f"'{'A' * 37}...' belongs to no User line"),
    ],
)
def test_what_is_no_prompt_is_an_error_with_its_line(
    lines: list[str], line: int, message: str
) -> None:
    problem = conversation(*lines).problems[0]
    assert problem.line == line
    assert problem.message.startswith(message)


def test_sections_are_kept_for_readers() -> None:
    """CEP-09: a case file is its own documentation."""
    text = (
        "# EC-001: A title\n\n## Summary\n\nWhat\n\n## Conversation\n\nUser: Why?\n\n## Notes\n\nx"
    )
    found = parse(text)
    assert found.title == "EC-001: A title"
    assert found.sections == {"Summary": "What", "Notes": "x"}


def test_a_heading_inside_a_fence_is_no_section() -> None:
    found = parse("## Summary\n```\n## Conversation\n```\n## Conversation\nUser: Why?")
    assert found.turns == ("Why?",)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("# T\n\n## Converstaion\n\nUser: Why?", "is 'Converstaion' meant?"),
        ("# T\n\n## Summary\n\nx", 'write a section "## Conversation" with a line User: "..."'),
    ],
)
def test_a_case_file_without_a_conversation_is_an_error(text: str, hint: str) -> None:
    problem = parse(text).problems[0]
    assert (problem.line, problem.message) == (1, "has no Conversation section")
    assert problem.hint == hint


def test_a_section_that_stands_there_twice_is_an_error() -> None:
    problem = parse("## Conversation\nUser: a\n## Conversation\nUser: b").problems[0]
    assert (problem.line, problem.message) == (3, "the section 'Conversation' stands there twice")
