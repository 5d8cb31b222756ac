"""What a session is asked for on the command line."""

from pydantic import ValidationError

from mockserver.errors import MockServerError, plain_reason
from mockserver.model import Json, SessionSpec


def session_spec(**options: Json) -> SessionSpec:
    """The spec that some options make; an option that is None was not given.

    Raises:
        MockServerError: An option has a value that no session can have.
    """
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return SessionSpec.model_validate(given)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)[0]
        name = str(wrong["loc"][0]).replace("_", "-")
        raise MockServerError(
            f"--{name} {wrong['input']!r}: {plain_reason(wrong['msg'])}"
        ) from error
