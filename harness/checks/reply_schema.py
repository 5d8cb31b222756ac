"""Whether a reply is structured as the case wants it."""

from harness.checks.json_schema import InvalidSchemaError, schema_errors
from harness.checks.models import ModelError, ModelResolver
from harness.checks.phrases import quoted
from harness.checks.replies import no_reply, replies_of
from harness.checks.results import not_evaluated, verdict
from harness.checks.structure import json_in, missing_fields
from harness.model import CheckResult, Json, Reply, ReplySchema, TrialRecord

_MOST_ERRORS = 5


def check_reply_schema(
    record: TrialRecord, expectation: ReplySchema, *, resolve: ModelResolver
) -> CheckResult:
    """Whether the (last) reply has the fields, and its JSON suits the schema and the model.

    A reply's JSON is its structured answer, or else what its text consists of or holds in a
    fenced block; one of them must suit.
    """
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if not (expectation.fields or expectation.json_schema is not None or expectation.model):
        return not_evaluated(expectation, "the case names no fields, no schema and no model")
    reply = replies[-1]
    missing = missing_fields(expectation.fields, reply)
    try:
        errors = [
            *_against_schema(reply, expectation),
            *_against_model(reply, expectation, resolve),
        ]
    except (InvalidSchemaError, ModelError) as error:
        return not_evaluated(expectation, str(error), missing=missing)
    reasons = [f"missing fields: {quoted(missing)}"] if missing else []
    reasons += errors[:_MOST_ERRORS]
    return verdict(
        expectation,
        "schema mismatch: " + "; ".join(reasons) if reasons else "",
        matched=not reasons,
        missing=missing,
        errors=errors,
    )


def _against_schema(reply: Reply, expectation: ReplySchema) -> list[str]:
    schema = expectation.json_schema
    if schema is None:
        return []
    return _least([schema_errors(schema, document) for document in _documents(reply)])


def _against_model(reply: Reply, expectation: ReplySchema, resolve: ModelResolver) -> list[str]:
    if not expectation.model:
        return []
    from pydantic import ValidationError

    model = resolve(expectation.model)
    attempts: list[list[str]] = []
    for document in _documents(reply):
        try:
            model.model_validate(document)
        except ValidationError as error:
            attempts.append([f"{_pointer(each['loc'])}: {each['msg']}" for each in error.errors()])
        else:
            return []
    return _least(attempts)


def _documents(reply: Reply) -> list[Json]:
    return [*([] if reply.metadata is None else [reply.metadata]), *json_in(reply.text)]


def _least(attempts: list[list[str]]) -> list[str]:
    """The errors of the document that suits best."""
    return min(attempts, key=len, default=["the reply holds no JSON"])


def _pointer(location: tuple[int | str, ...]) -> str:
    return "/" + "/".join(str(part) for part in location)
