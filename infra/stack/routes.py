"""The routes and the authorizer that the emulator doesn't make from SAM's OpenAPI body.

They are read from the built template, so that what is tested is what AWS would be given.
"""

from typing import Any

from infra.local.template import Template, routes
from infra.stack.deployment import Stack


def connect(apigateway: Any, lambdas: Any, stack: Stack, template: Template) -> int:
    """Give the API exactly the template's routes; how many. Works on a connected API as well."""
    api = stack.api_id
    _disconnect(apigateway, api)
    authorizer = _authorizer(apigateway, api, template, stack)
    integrations: dict[str, str] = {}
    for route in routes(template):
        if route.function not in integrations:
            integrations[route.function] = _integration(apigateway, lambdas, stack, route.function)
        guard = {"AuthorizationType": "JWT", "AuthorizerId": authorizer}
        apigateway.create_route(
            ApiId=api,
            RouteKey=route.key,
            Target=f"integrations/{integrations[route.function]}",
            **(guard if route.needs_token else {"AuthorizationType": "NONE"}),
        )
    return len(routes(template))


def _disconnect(apigateway: Any, api: str) -> None:
    for route in apigateway.get_routes(ApiId=api, MaxResults="500")["Items"]:
        apigateway.delete_route(ApiId=api, RouteId=route["RouteId"])
    for found in apigateway.get_integrations(ApiId=api, MaxResults="500")["Items"]:
        apigateway.delete_integration(ApiId=api, IntegrationId=found["IntegrationId"])
    for found in apigateway.get_authorizers(ApiId=api, MaxResults="500")["Items"]:
        apigateway.delete_authorizer(ApiId=api, AuthorizerId=found["AuthorizerId"])


def _authorizer(apigateway: Any, api: str, template: Template, stack: Stack) -> str:
    auth = template["Resources"]["HttpApi"]["Properties"]["Auth"]
    name = auth["DefaultAuthorizer"]
    made = apigateway.create_authorizer(
        ApiId=api,
        Name=name,
        AuthorizerType="JWT",
        IdentitySource=[auth["Authorizers"][name]["IdentitySource"]],
        # The template's own values, resolved by CloudFormation.
        JwtConfiguration={
            "Issuer": stack.outputs["JwtIssuer"],
            "Audience": [stack.outputs["JwtAudience"]],
        },
    )
    return str(made["AuthorizerId"])


def _integration(apigateway: Any, lambdas: Any, stack: Stack, function: str) -> str:
    found = lambdas.get_function(FunctionName=stack.resources[function])
    made = apigateway.create_integration(
        ApiId=stack.api_id,
        IntegrationType="AWS_PROXY",
        IntegrationUri=found["Configuration"]["FunctionArn"],
        PayloadFormatVersion="2.0",
    )
    return str(made["IntegrationId"])
