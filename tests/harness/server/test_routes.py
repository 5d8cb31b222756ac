from starlette.routing import compile_path

from harness.server.routes import ROUTES


def test_no_route_hides_another() -> None:
    seen: set[tuple[str, str]] = set()
    for route in ROUTES:
        pattern = compile_path(route.path)[0].pattern
        assert (route.verb, pattern) not in seen
        seen.add((route.verb, pattern))


def test_what_changes_something_is_no_get() -> None:
    for route in ROUTES:
        assert route.body is None or route.verb == "POST"
