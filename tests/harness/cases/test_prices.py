from pathlib import Path

import pytest

from harness.cases import read_suite, suite_prices
from harness.errors import HarnessError, InvalidCasesError
from harness.trials.records import Price
from harness.trials.tracing import PRICES, price_of


def write(folder: Path, text: str) -> Path:
    (folder / "prices.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_suite_without_prices_has_the_usual_ones(tmp_path: Path) -> None:
    assert suite_prices(tmp_path) == PRICES


def test_what_a_suite_says_comes_first_and_is_no_case(tmp_path: Path) -> None:
    write(tmp_path, "Llama*: {input: 0, output: 0}\ngpt-*: {input: 7, output: 8}\n")
    (tmp_path / "cases.yaml").write_text(
        "cases: [{id: A, input: Go., expect: {text: {contains: [x]}}}]", encoding="utf-8"
    )
    prices = suite_prices(tmp_path)
    assert price_of("llama3", prices) == Price(0, 0)
    assert price_of("gpt-5", prices) == Price(7, 8)
    assert price_of("claude-opus-4", prices) == PRICES["claude-opus-4*"]
    assert not read_suite(tmp_path).problems


@pytest.mark.parametrize(
    "text", ["gpt: 3", "gpt: {input: -1, output: 2}", "gpt: {input: 1, output: 1.0e+999}", "- 1",
             "gpt: {input: 1, output: 2, more: 3}"],
)  # fmt: skip
def test_a_broken_price_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(HarnessError, match=r"prices.yaml: ") as error:
        suite_prices(write(tmp_path, text))
    assert "output: 10" in (error.value.hint or "")


@pytest.mark.parametrize("text", ["a: [\n", "a: {input: 1, output: .inf}"])
def test_what_is_no_yaml_or_no_number_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidCasesError):
        suite_prices(write(tmp_path, text))
