"""What to say when Google refuses."""

from collections.abc import Mapping

from harness.demo.answers import Answer
from harness.demo.investigation import Investigation, ToolFailedError

_MEANING: Mapping[int, tuple[str, str, str]] = {
    400: ("does not understand the request", "The question names something invalid.", "Rephrase."),
    401: (
        "rejects the access token",
        "The token has expired or was revoked.",
        "Sign in again to get a new access token.",
    ),
    403: (
        "does not permit this",
        "The account lacks an admin privilege, or the API is switched off.",
        "Ask a super admin for the privilege that the message names.",
    ),
    404: (
        "does not find it",
        "It was deleted, or was created a moment ago and is not everywhere yet.",
        "Check the name, wait a few minutes and ask again.",
    ),
    429: (
        "has no quota left for this",
        "Something else in the project uses up the quota.",
        "Wait a minute, or raise the quota of the project.",
    ),
}
_OUTAGE = (
    "is not available",
    "Google has an outage or a hiccup.",
    "Look at the status dashboard and ask again later.",
)


def explain_failure(case: Investigation, failure: ToolFailedError) -> Answer:
    """Say which call was refused, and why; nothing is concluded from data that is not there."""
    error = failure.error
    meaning, cause, remedy = _MEANING.get(error.status, _OUTAGE)
    answer = Answer(
        f"I cannot tell: Google {meaning}, so {failure.tool} has no data.",
        evidence=[f"{error.method} answered {error.status} {error.reason}: {error.message}"],
        hypotheses=[cause],
        next_steps=[remedy],
    )
    if error.status == 401:
        _look_at_token(case, answer)
    return answer


def _look_at_token(case: Investigation, answer: Answer) -> None:
    try:
        token = case.use("debugAuth")
    except ToolFailedError as failure:
        answer.evidence.append(f"the token itself: {failure.error.message}")
        return
    answer.evidence.append(f"the token belongs to {token['email'] or 'nobody'}")
