"""`python -m infra.openapi` writes docs/openapi.json: the HTTP API as its routes define it.

The template says which functions there are; each one's own resolver says what its routes take and
give. What all routes share is added here: the token, and errors as problem documents (RFC 9457).
"""

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from infra.local.template import Template, functions, load_template, routes
from strandline import __version__

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "openapi.json"
SERVED = ROOT / "functions" / "chat" / "openapi.json"
TITLE = "Strandline"
DESCRIPTION = "A serverless memory and checkpoint backend for LLM chat."

DEBUG = "/v1/debug/"
_REFERENCE = re.compile(r'"#/components/schemas/[^"]+(?=")')

Json = dict[str, Any]

# Powertools documents its own errors; ours are problem documents.
_PUBLISHED_TAGS = {"lineage": "comparing", "imports": "importing"}
"""Operation ids are part of the published API: these route modules had other names before."""

_NOT_OURS = frozenset({"HTTPValidationError", "ResponseValidationError", "ValidationError"})
_REFUSALS = {
    "400": "The request is not valid.",
    "401": "A valid token is required.",
    "403": "The token lacks developer access, or a scope that this needs.",
    "404": "There is no such thing here: it is missing, or someone else's.",
    "default": "Any other error.",
}
_PROBLEM: Json = {
    "type": "object",
    "title": "Problem",
    "description": "An error (RFC 9457). Some codes bring further members, such as `turn_id`.",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}


def main() -> None:
    """Write the document, and what the chat function serves of it."""
    whole = document()
    for path, written in ((DOCUMENT, text(whole)), (SERVED, served_text(whole))):
        path.write_text(written, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")


def text(whole: Json) -> str:
    """The document as it is committed."""
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def served_text(whole: Json) -> str:
    """The document as functions/chat/openapi_document.py reads it."""
    return json.dumps(parts(whole), indent=0, sort_keys=True, ensure_ascii=False) + "\n"


def parts(whole: Json) -> Json:
    """The product's document; the debug routes, and the schemas that only these refer to."""
    product = {path: found for path, found in whole["paths"].items() if not _is_debug(path)}
    debug = {path: found for path, found in whole["paths"].items() if _is_debug(path)}
    schemas = whole["components"]["schemas"]
    shared = _reached(product, schemas)
    components = whole["components"] | {"schemas": {name: schemas[name] for name in shared}}
    return {
        "product": whole | {"paths": product, "components": components},
        "debug": {
            "paths": debug,
            "schemas": {name: found for name, found in schemas.items() if name not in shared},
        },
    }


def _is_debug(path: str) -> bool:
    return path.startswith(DEBUG)


def _reached(value: Any, schemas: Mapping[str, Any]) -> set[str]:
    """The names of all schemas that a part of the document refers to, directly or not."""
    reached: set[str] = set()
    ahead = [value]
    while ahead:
        found = {match.rpartition("/")[2] for match in _REFERENCE.findall(json.dumps(ahead.pop()))}
        ahead += [schemas[name] for name in found - reached]
        reached |= found
    return reached


def document() -> Json:
    """The whole API. Raises ValueError when two functions serve one route differently."""
    template = load_template(ROOT / "template.yaml")
    public = {(route.path, route.method) for route in routes(template) if not route.needs_token}
    paths: Json = {}
    schemas: Json = {"Problem": _PROBLEM}
    for app in apps(template).values():
        part = _renamed(_part(app), schemas)
        for path, operations in part["paths"].items():
            _add(paths.setdefault(path, {}), operations)
        _add(schemas, part["components"]["schemas"])
    for path, method, operation in _operations(paths):
        _finish(operation, path, (path, method.upper()) in public)
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": __version__, "description": DESCRIPTION},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"jwt": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
        "security": [{"jwt": []}],
    }


def apps(template: Template) -> dict[str, APIGatewayHttpResolver]:
    """The resolver of every function that serves HTTP, by the function's logical id."""
    serving = {route.function for route in routes(template)}
    return {
        name: import_module(function.handler.rpartition(".")[0]).app
        for name, function in functions(template).items()
        if name in serving
    }


def _part(app: APIGatewayHttpResolver) -> Json:
    part: Json = json.loads(app.get_openapi_json_schema(title=TITLE, version=__version__))
    for route in [*app._static_routes, *app._dynamic_routes]:  # noqa: SLF001 - named nowhere else
        path = route.path.replace("<", "{").replace(">", "}")
        operation = part["paths"][path][route.method.lower()]
        operation["summary"] = (route.func.__doc__ or "").strip().splitlines()[0]
        resource = route.func.__module__.rpartition(".")[2]
        # A client generated from this has a name of its own for each: both may read a memory.
        debug = "debug." if _is_debug(path) else ""
        tag = _PUBLISHED_TAGS.get(resource, resource)
        operation["operationId"] = f"{debug}{tag}.{route.func.__name__}"
    found = part.get("components", {}).get("schemas", {})
    ours = {name: schema for name, schema in found.items() if name not in _NOT_OURS}
    return {"paths": part["paths"], "components": {"schemas": ours}}


def _renamed(part: Json, known: Mapping[str, Any]) -> Json:
    """The part with a name of its own for what is known under the same name as something else."""
    for name, schema in list(part["components"]["schemas"].items()):
        if known.get(name, schema) != schema:
            other = next(new for n in range(2, 100) if (new := f"{name}{n}") not in known)
            refers, instead = (f'"#/components/schemas/{each}"' for each in (name, other))
            part = json.loads(json.dumps(part).replace(refers, instead))
            part["components"]["schemas"][other] = part["components"]["schemas"].pop(name)
    return part


def _add(into: Json, more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if into.setdefault(name, value) != value:
            raise ValueError(f"two functions serve {name} differently")


def _operations(paths: Json) -> Iterator[tuple[str, str, Json]]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            yield path, method, operation


def _finish(operation: Json, path: str, public: bool) -> None:
    responses = operation["responses"]
    responses.pop("422", None)
    if "204" in responses:
        responses["204"].pop("content", None)
    takes_input = bool(operation.get("parameters") or operation.get("requestBody"))
    needed = {
        "400": takes_input,
        "401": not public,
        "403": _is_debug(path),
        "404": "{" in path,
        "default": True,
    }
    for status in (status for status, wanted in needed.items() if wanted):
        responses[status] = {
            "description": _REFUSALS[status],
            "content": {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            },
        }
    if public:
        operation["security"] = []


if __name__ == "__main__":
    main()
