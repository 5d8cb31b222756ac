import pytest

from harness.demo.review.rules import (
    RULES,
    contradictions,
    measurable_verbs,
    structure,
    unexplained_acronyms,
    vague_terms,
)

COMPLETE = "# Purpose\na\n# Procedure\nb\n# Assessment\nc\n"


@pytest.mark.parametrize(
    ("objective", "severities"),
    [
        ("- Trainees will understand the pump.", ["violation"]),
        ("2. Trainees will appreciate the pump.", ["warning"]),
        ("Trainees will list the parts.", []),
        ("Instructors will understand the pump.", []),
    ],
    ids=str,
)
def test_objectives_use_verbs_that_can_be_measured(objective: str, severities: list[str]) -> None:
    assert [found.severity for found in measurable_verbs(objective)] == severities


@pytest.mark.parametrize(
    ("content", "spans"),
    [
        ("Gloves must be worn indoors. Gloves worn indoors are optional.", 1),
        ("Gloves must be worn indoors. Hats are optional.", 0),
        ("Gloves are optional indoors.", 0),
        ("Gloves must not be worn indoors. Gloves must not be worn outdoors.", 0),
    ],
    ids=str,
)
def test_no_sentence_takes_back_another(content: str, spans: int) -> None:
    found = list(contradictions(content))
    assert len(found) == spans
    assert all(each.span in content for each in found)


@pytest.mark.parametrize(
    ("content", "spans"),
    [
        ("Call the OOD. The OOD answers.", ["OOD"]),
        ("Call the officer of the deck (OOD). The OOD answers.", []),
        ("Call the OOD (officer of the deck).", []),
        ("As NAV-TR-3.3.1 says.", []),
    ],
    ids=str,
)
def test_acronyms_are_spelled_out_once(content: str, spans: list[str]) -> None:
    assert [found.span for found in unexplained_acronyms(content)] == spans


@pytest.mark.parametrize(
    ("content", "messages"),
    [
        (COMPLETE, []),
        ("No headings.", []),
        (COMPLETE.replace("# Purpose\na\n", ""), ["there is no section Purpose"]),
        (COMPLETE.replace("b\n", ""), ["the section Procedure is empty"]),
    ],
    ids=str,
)
def test_a_document_has_its_sections(content: str, messages: list[str]) -> None:
    assert [found.message for found in structure(content)] == messages


def test_vague_terms_are_only_mentioned() -> None:
    assert [found.severity for found in vague_terms("Adequate, if necessary.")] == ["info"] * 2


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_no_rule_finds_anything_in_nothing(rule: object) -> None:
    assert callable(rule)
    assert list(rule("")) == []
