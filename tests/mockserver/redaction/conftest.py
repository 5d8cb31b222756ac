"""One redactor a test."""

import pytest

from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.judging import Judge
from mockserver.redaction.pseudonyms import Pseudonyms

KEY = b"a key of tests"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(RuleSet.default(), KEY)


@pytest.fixture
def judge() -> Judge:
    return Judge(RuleSet.default(), Pseudonyms(KEY))


@pytest.fixture(scope="session")
def making() -> Pseudonyms:
    return Pseudonyms(KEY)
