import pytest

from harness.demo.review import FLAWS, NO_FLAWS
from harness.demo.review.reviewing import RefusedError, ReviewRequest, review

TEXT = "Trainees will know the OOD. Be adequate."


def ask(**changes: str) -> ReviewRequest:
    known = {"content": TEXT, "standards_set": "naval_v3", "strictness": "high"}
    return ReviewRequest.model_validate(known | changes)


@pytest.mark.parametrize(
    ("strictness", "refs"),
    [
        ("low", ["NAV-TR-3.1.1"]),
        ("medium", ["NAV-TR-3.1.1", "NAV-TR-3.3.1"]),
        ("high", ["NAV-TR-3.1.1", "NAV-TR-3.3.1", "NAV-TR-3.5.1"]),
    ],
)
def test_strictness_says_how_much_is_told(strictness: str, refs: list[str]) -> None:
    found = review(ask(strictness=strictness))
    assert [each.standard_ref for each in found.observations] == refs


def test_a_set_of_standards_has_its_own_rules() -> None:
    found = review(ask(standards_set="naval_objectives"))
    assert [each.standard_ref for each in found.observations] == ["NAV-TR-3.1.1"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"content": " "}, "EMPTY_CONTENT"), ({"standards_set": "x"}, "STANDARDS_NOT_FOUND")],
    ids=str,
)
def test_what_cannot_be_reviewed_is_refused(changes: dict[str, str], code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        review(ask(**changes))
    assert refused.value.code == code


def test_flaws_show() -> None:
    refs = [each.standard_ref for each in review(ask(), FLAWS["misses-rule"]).observations]
    assert refs == ["NAV-TR-3.1.1", "NAV-TR-3.5.1"]
    assert review(ask(), FLAWS["always-empty"]).observations == ()
    spans = [review(ask(), FLAWS["unstable-span"], number=i).observations[0].span for i in (0, 1)]
    assert spans == ["Trainees", "will"]
    assert review(ask(), NO_FLAWS, number=1) == review(ask())
