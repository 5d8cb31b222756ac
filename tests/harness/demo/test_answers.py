from harness.demo.answers import Answer

ANSWER = Answer("It is off.", evidence=["a", "b"], hypotheses=["c"], next_steps=["d", "e"])


def test_people_read_four_sections() -> None:
    assert ANSWER.text() == (
        "Diagnosis: It is off.\n\nEvidence:\n- a\n- b\n\nHypotheses:\n- c\n\n"
        "Next Steps:\n1. d\n2. e"
    )


def test_programs_read_four_fields() -> None:
    assert ANSWER.metadata() == {
        "diagnosis": "It is off.",
        "evidence": ["a", "b"],
        "hypotheses": ["c"],
        "nextSteps": ["d", "e"],
    }
