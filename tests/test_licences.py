import pytest

from tests.licences import installed_with, kind_of, licence_lines, licence_of

PACKAGES = installed_with("understudy", "all")
WEAK = {"certifi", "fpdf2", "orjson", "psycopg", "psycopg-binary", "tqdm"}


@pytest.mark.parametrize("name", PACKAGES)
def test_the_licence_of_a_package_is_known_and_binds_no_user(name: str) -> None:
    licence = licence_of(name, PACKAGES[name])
    assert kind_of(licence) == ("weak copyleft" if name in WEAK else "permissive"), licence


def test_what_is_always_installed_and_what_it_needs_is_listed() -> None:
    text = "\n".join(licence_lines())
    assert {"httpx", "certifi", "pydantic-core"} <= PACKAGES.keys()
    assert "| httpx |" in text
