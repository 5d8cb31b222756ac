from harness.demo.knowledge import DLP_ACTIONS, DLP_DETECTORS, DLP_TRIGGERS
from harness.demo.wording import plain


def test_words_are_written_as_texts_are_folded() -> None:
    tables = (DLP_ACTIONS, DLP_DETECTORS, DLP_TRIGGERS)
    words = [word for table in tables for listed in table.values() for word in listed]
    assert [word for word in words if plain(word).strip() != word] == []


def test_a_rule_may_block_warn_or_audit() -> None:
    assert set(DLP_ACTIONS) == {"BLOCK", "WARN", "AUDIT"}
