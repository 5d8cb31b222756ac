import json

import pytest

from mockserver.cli.printing import print_json


def test_json_is_printed_so_that_it_can_be_piped(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [1, "ü"]})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": [1, "ü"]}
    assert '\n  "a"' in text
