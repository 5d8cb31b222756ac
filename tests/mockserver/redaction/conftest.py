"""One redactor a test."""

import pytest

from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.value_redactor import ValueRedactor

KEY = b"a key of tests"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(RuleSet.default(), KEY)


@pytest.fixture
def values() -> ValueRedactor:
    return ValueRedactor(RuleSet.default(), Pseudonyms(KEY))


@pytest.fixture(scope="session")
def source() -> Pseudonyms:
    return Pseudonyms(KEY)
