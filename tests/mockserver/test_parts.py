from importlib.metadata import PackageNotFoundError

import pytest

from mockserver import parts
from mockserver.parts import installed_version, parts_of, parts_text


def test_the_parts_are_those_that_are_installed() -> None:
    found = parts_of("understudy", "1.2")
    assert found.packages["httpx"] == installed_version("httpx") != ""
    assert found.extras["mcp"] is bool(installed_version("mcp"))
    assert not {"all", "dev", ""} & found.extras.keys()
    first, second, *_ = parts_text(found).splitlines()
    assert first == "understudy 1.2"
    assert second.startswith(f"{found.implementation} {found.python}, ")


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(_: str) -> list[str]:
        return ["no-such-package>=1", "no-such-mcp; extra == 'mcp'", "pytest; extra == 'x'"]

    monkeypatch.setattr(parts, "requires", lines)
    text = parts_text(parts_of("mockserver", "1.2"))
    assert "packages: no-such-package MISSING" in text
    assert text.endswith(", x\nextras that are not installed: mcp")


def test_a_checkout_that_is_not_installed_has_no_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(parts, "requires", nothing)
    assert parts_of("harness", "1.2").packages == {}
