from harness.doctor.crossing import MOST_OTHERS, confused_with
from harness.model import TextContains
from tests.harness.records import case, record


def test_a_case_that_other_answers_pass_names_them() -> None:
    loose = case(TextContains(needles=("unit",)), id="LOOSE")
    strict = case(TextContains(needles=("unit seven",)), id="STRICT")
    records = {
        "LOOSE": record("a unit", case="LOOSE"),
        "STRICT": record("unit seven", case="STRICT"),
    }
    assert confused_with([loose, strict], records) == {
        "LOOSE": (("STRICT",), 1),
        "STRICT": ((), 1),
    }


def test_a_large_suite_is_sampled_evenly() -> None:
    cases = [case(TextContains(needles=("a",)), id=f"C-{number}") for number in range(101)]
    records = {each.id: record("b", case=each.id) for each in cases}
    assert {tried for _, tried in confused_with(cases, records).values()} == {MOST_OTHERS}
