"""Small OpenAPI documents for tests, one of each version."""

from mockserver.model import Json, JsonObject


def answer(schema: JsonObject, example: Json = None, status: str = "200") -> JsonObject:
    media: JsonObject = {"schema": schema}
    if example is not None:
        media["example"] = example
    return {status: {"description": "", "content": {"application/json": media}}}


def query(*names: str) -> list[Json]:
    return [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]


VISIT: JsonObject = {"$ref": "#/components/x/Visit"}
TRIP: JsonObject = {"$ref": "#/definitions/Trip"}
TRIP_ANSWER: JsonObject = {"200": {"description": "", "schema": TRIP}}
PET: JsonObject = {"$ref": "#/components/schemas/Pet"}

SHOP: JsonObject = {
    "openapi": "3.0.3",
    "info": {"title": "Pet shop", "version": "1"},
    "servers": [
        {"url": "https://{region}.shop.example.com/api", "variables": {"region": {"default": "eu"}}}
    ],
    "security": [{"key": []}],
    "paths": {
        "/v2/pets": {
            "get": {
                "operationId": "listPets",
                "parameters": query(
                    "page", "per_page", "q", "sort", "order", "status", "price_max", "debug"
                ),
                "responses": answer(
                    {
                        "type": "object",
                        "properties": {
                            "data": {"type": "array", "items": PET},
                            "meta": {"properties": {"total": {"type": "integer"}}},
                        },
                    },
                    {"data": [{"id": 1, "name": "Rex", "status": "sold", "price": 9}]},
                ),
            },
            "post": {
                "operationId": "createPet",
                "requestBody": {"content": {"application/json": {"schema": PET}}},
                "responses": answer(PET, status="201")
                | answer({"properties": {"message": {"type": "string"}}}, status="422"),
            },
        },
        "/v2/pets/{petId}": {
            "get": {"responses": answer(PET)},
            "patch": {"responses": answer(PET)},
            "delete": {"responses": {"204": {"description": ""}}},
        },
        "/v2/pets/{petId}/sell": {"post": {"responses": answer(PET)}},
        "/v2/pets/{petId}/wash": {"post": {"responses": {"202": {"description": ""}}}},
        "/v2/pets/{petId}/visits": {
            "get": {"responses": answer({"type": "array", "items": VISIT})},
            "post": {"responses": answer(VISIT)},
        },
        "/v2/pets/{petId}/visits/{visit_id}": {
            "get": {"responses": answer(VISIT, {"id": "7", "vet": {"name": "Ann"}})}
        },
        "/v2/health": {"get": {"responses": answer({"type": "object"})}},
    },
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "name": {"type": "string", "minLength": 1},
                    "nick": {"type": "string", "nullable": True},
                    "price": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
                    "status": {"type": "string", "enum": ["free", "sell_pending", "sold"]},
                    "mother": PET,
                },
            }
        },
        "x": {
            "Visit": {
                "allOf": [
                    {"properties": {"id": {"type": "string", "format": "uuid"}}},
                    {"properties": {"vet": {"type": "object"}}},
                ]
            }
        },
    },
}

BOOKS: JsonObject = {
    "openapi": "3.1.0",
    "info": {"title": "Books", "version": "1"},
    "paths": {
        "/books": {
            "get": {
                "parameters": query("pageToken", "pageSize", "author", "created_after"),
                "responses": answer(
                    {
                        "properties": {
                            "books": {"type": "array", "items": {"$ref": "#/components/schemas/B"}},
                            "nextPageToken": {"type": ["string", "null"]},
                        }
                    }
                ),
            },
        },
        "/books/{isbn}": {
            "get": {
                "responses": answer({"properties": {"book": {"$ref": "#/components/schemas/B"}}})
            },
            "put": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"properties": {"book": {"$ref": "#/components/schemas/B"}}}
                        }
                    }
                },
                "responses": answer({"properties": {"book": {"$ref": "#/components/schemas/B"}}}),
            },
        },
    },
    "components": {
        "schemas": {
            "B": {
                "properties": {
                    "isbn": {"type": "string", "examples": ["111"]},
                    "author": {"type": ["string", "null"], "examples": ["Ann"]},
                    "created_at": {"type": "string", "format": "date-time"},
                }
            }
        }
    },
}

TRIPS: JsonObject = {
    "swagger": "2.0",
    "info": {"title": "Trips", "version": "1"},
    "host": "trips.example.com:8443",
    "basePath": "/v1/",
    "produces": ["application/json"],
    "securityDefinitions": {"login": {"type": "basic"}},
    "security": [{"login": []}],
    "paths": {
        "/trips": {
            "get": {
                "parameters": [
                    {"name": "offset", "in": "query", "type": "integer"},
                    {
                        "name": "limit",
                        "in": "query",
                        "type": "integer",
                        "maximum": 50,
                        "default": 5,
                    },
                    {"name": "city", "in": "query", "type": "array", "items": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "",
                        "headers": {
                            "X-Total-Count": {"type": "integer"},
                            "Link": {"type": "string"},
                        },
                        "schema": {"type": "array", "items": TRIP},
                        "examples": {"application/json": [{"code": "a", "city": "Rome"}]},
                    }
                },
            },
            "post": {
                "parameters": [
                    {"name": "code", "in": "formData", "type": "string", "required": True},
                    {"name": "city", "in": "formData", "type": "string", "pattern": "[a-"},
                ],
                "responses": TRIP_ANSWER,
            },
        },
        "/trips/{code}": {"get": {"responses": TRIP_ANSWER}},
    },
    "definitions": {
        "Trip": {"properties": {"code": {"type": "string"}, "city": {"type": "string"}}}
    },
}
