"""What an operation of an OpenAPI document takes: requests held against it, with reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import orjson
from jsonschema.validators import Draft202012Validator

from mockserver.declared.calls import DeclaredCall
from mockserver.declared.documents.document import DocumentedOperation, Parameter
from mockserver.declared.documents.schemas import SchemaExport
from mockserver.declared.errors import Detail, refusal
from mockserver.declared.forms import nested_fields, typed_fields
from mockserver.declared.keywords import Schema, as_object
from mockserver.declared.schemas import FORMATS, RowSchema
from mockserver.googleapi import ApiError
from mockserver.model import FEW, Json, JsonObject
from mockserver.storage import kind_of

_FORMS = ("application/x-www-form-urlencoded", "multipart/")
_CREDENTIALS = frozenset({"token", "access_token", "api_key", "apikey", "key", "auth_token"})
_PARAMETERS, _BODY = 400, 422


class RequestSchema:
    """What one operation takes, compiled.

    Args:
        operation: The operation.
        names: The names of its path's placeholders, in order.
        is_rpc: Whether parameters of the query may come in the body, and fields of the body in the
            query.
    """

    def __init__(
        self, operation: DocumentedOperation, names: Sequence[str], *, is_rpc: bool = False
    ) -> None:
        self._is_rpc = is_rpc
        self._operation = operation
        self._names = tuple(names)
        self._query = operation.query
        export = SchemaExport()
        properties = {each.name: export.convert(each.schema) for each in operation.parameters}
        body = None if operation.body is None else export.convert(operation.body)
        definitions = export.definitions()
        shared: JsonObject = {"$defs": definitions} if definitions else {}
        self._parameters = _compiled({"properties": properties, **shared})
        self._body = None if body is None else _compiled({**body, **shared})
        self._takes_json = not operation.body_types or any(
            "json" in each or "*" in each for each in operation.body_types
        )

    def check(self, call: DeclaredCall) -> JsonObject:
        """Refuse a call that does not fit.

        Args:
            call: The call; names of parameters that the operation does not know are added to its
                `ignored`.

        Returns:
            Its parameters and the fields of its body by name, as their schemas mean them.

        Raises:
            ApiError: 400 for parameters, 422 for the body; where the document knows one of the two
                alone for this operation, that one. Each reason is among the details.
        """
        if self._is_rpc:
            call = self._sort_fields(call)
        parameters, wrong = self._bind_parameters(call)
        for pointer, message in self._parameters.problems(parameters):
            name, _, inside = pointer.removeprefix("/").partition("/")
            name = name.replace("~1", "/").replace("~0", "~")
            wrong.append(Detail(f"/{inside}" if inside else "", message, name))
        if wrong:
            raise self._refusal(_PARAMETERS, "The parameters are not valid", wrong)
        body = self._read_body(call)
        wrong = list(self._body_problems(call, body))
        if wrong:
            raise self._refusal(_BODY, "The body is not valid", wrong)
        return {**as_object(body), **parameters}

    def _refusal(self, usual: int, text: str, wrong: Sequence[Detail]) -> ApiError:
        known = {each.status for each in self._operation.responses}
        other = _PARAMETERS + _BODY - usual
        status = other if str(other) in known and str(usual) not in known else usual
        reasons = [f"{each.param or each.pointer or 'the body'}: {each.message}" for each in wrong]
        return refusal(status, f"{text}: {'; '.join(reasons[:3])}.", details=wrong[:FEW])

    def _sort_fields(self, call: DeclaredCall) -> DeclaredCall:
        """The call with its parameters in the query and its fields in the body."""
        if not isinstance(call.body, dict | None):
            return call
        fields = as_object(call.body)
        sent: dict[str, Sequence[str]] = {
            name: [_text(each) for each in (value if isinstance(value, list) else [value])]
            for name, value in fields.items()
            if name in self._query and value is not None
        }
        known = self._operation.body is not None
        others = {name: values[-1] for name, values in call.query.items()
                  if known and name not in self._query}  # fmt: skip
        query = {name: values for name, values in call.query.items() if name not in others}
        rest = {name: value for name, value in fields.items() if name not in sent}
        body = {**others, **rest} if known else rest
        return replace(call, query={**query, **sent}, body=body or None)

    # --- parameters ---

    def _bind_parameters(self, call: DeclaredCall) -> tuple[JsonObject, list[Detail]]:
        """The values of parameters by name, and which are missing."""
        bound: JsonObject = {}
        wrong: list[Detail] = []
        sent = {name: list(values) for name, values in call.query.items()}
        captures = dict(zip(self._names, call.captures, strict=True))
        for each in self._operation.parameters:
            if each.where == "path" and each.name in captures:
                bound[each.name] = self._value(each, [captures.pop(each.name)])
            elif each.where == "query":
                values = self._take_values(each, sent)
                if values is not None:
                    bound[each.name] = values
                elif each.required and not _is_credential(each, call):
                    wrong.append(Detail("", "is missing", each.name))
        call.ignored += sorted(sent)
        return {**captures, **bound}, wrong

    def _take_values(self, parameter: Parameter, sent: dict[str, list[str]]) -> Json:
        """What was sent for a parameter, which is taken out of the rest; None for nothing."""
        name = parameter.name
        bare = name.removesuffix("[]")
        for each in (name, f"{bare}[]", bare):
            if each in sent:
                return self._value(parameter, sent.pop(each))
        inner = [each for each in sent if each.startswith(f"{bare}[")]
        if not inner:
            return None
        pairs = [(name, value) for name in inner for value in sent.pop(name)]
        return self._parse_value(parameter.name, nested_fields(pairs).get(bare))

    def _value(self, parameter: Parameter, values: Sequence[str]) -> Json:
        types = parameter.schema.kinds
        if "array" in types and not ("string" in types and len(values) == 1):
            items: list[Json] = list(values)
            if parameter.separator and len(values) == 1:
                items = list(values[0].split(parameter.separator)) if values[0] else []
            return self._parse_value(parameter.name, items)
        return self._parse_value(parameter.name, values[-1])

    def _parse_value(self, name: str, value: Json) -> Json:
        """What the texts that were sent for a parameter mean by its schema."""
        return typed_fields({name: value}, self._parameters.schema)[name]

    # --- the body ---

    def _read_body(self, call: DeclaredCall) -> Json:
        """The body as its schema means it: fields of a form are texts, and some are JSON."""
        sent, known = call.body, self._operation.sent.fields
        if self._body is None or not isinstance(sent, dict):
            return sent
        kinds = {name: known.get(name, Schema()).kinds for name in sent}
        if call.headers.get("content-type", "").lower().startswith(_FORMS):
            fields: JsonObject = {
                name: [value] if isinstance(value, str) and kinds[name] == {"array"} else value
                for name, value in sent.items()
            }
            return typed_fields(fields, self._body.schema)
        if self._takes_json:
            return sent
        return {  # JSON where the document knows forms alone: what it has as text is sent as text
            name: _text(value) if kinds[name] == {"string"} else value
            for name, value in sent.items()
            if value is not None
        }

    def _body_problems(self, call: DeclaredCall, body: Json) -> Iterator[Detail]:
        if self._body is None or (body is None and call.file is not None):
            return
        if body is None or (body == {} and call.body is None):
            if self._operation.is_body_required:
                yield Detail("", "is missing")
            return
        if not isinstance(body, dict) and self._operation.sent.kind == "object":
            yield Detail("", f"is {kind_of(body)}, not an object")
            return
        for pointer, message in self._body.problems(body):
            # a file of a form stands beside its fields
            if call.file is None or not message.endswith("is a required property"):
                yield Detail(pointer, message)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _compiled(schema: JsonObject) -> RowSchema:
    return RowSchema(schema, Draft202012Validator(schema, format_checker=FORMATS))


def _is_credential(parameter: Parameter, call: DeclaredCall) -> bool:
    """Whether a parameter is a key that was sent as `Authorization` in its place."""
    return parameter.name.lower() in _CREDENTIALS and "authorization" in call.headers
