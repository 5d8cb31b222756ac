import json
from pathlib import Path

import pytest

from harness.demo.knowledge import SETTINGS, Setting

BASE = Path(__file__).parents[4] / "fixtures" / "chrome-enterprise" / "base"
SCHEMAS = {
    schema["schemaName"]: {
        field["name"] for field in schema["definition"]["messageType"][0]["field"]
    }
    for schema in json.loads((BASE / "40-policy-schemas.json").read_text(encoding="utf-8"))[
        "policySchemas"
    ]
}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.title)
def test_every_setting_is_a_schema_with_the_fields_that_are_changed(setting: Setting) -> None:
    changed = {name for _, fields in setting.choices for name in fields}
    assert changed <= SCHEMAS[setting.schema]


def test_no_two_settings_share_a_symptom() -> None:
    words = [word for setting in SETTINGS for word in setting.words]
    assert len(words) == len(set(words))
