"""Errors of calls that no handler answers."""

from mockserver.googleapi import ApiError
from mockserver.model import Miss
from mockserver.server.routes import Route
from mockserver.server.secrets import redact_path


def no_source(route: Route) -> ApiError:
    """404: the session is told to answer from elsewhere than its state, and nothing is there."""
    text = f"No source of this session answers {route.method_id}: its state is not among them."
    return ApiError(404, text, reason="notFound", miss=Miss(blame="fixture_gap", reason=text))


def internal() -> ApiError:
    """500: a defect of ours."""
    return ApiError(500, "Internal error encountered.", reason="backendError")


def ambiguous(route: Route) -> ApiError:
    """404: several APIs have this path, and the request names no host."""
    hosts, path = ", ".join(route.candidates), redact_path(route.path)
    return ApiError(
        404,
        f"{route.verb} {path} is a route of several APIs: {hosts}. Put the host before the "
        f"path (/{route.candidates[0]}{path}) or send it as the Host header.",
        reason="ambiguousRoute",
        code_name="NOT_FOUND",
        details=(
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "AMBIGUOUS_ROUTE",
                "domain": "understudy",
                "metadata": {"hosts": hosts},
            },
        ),
    )
