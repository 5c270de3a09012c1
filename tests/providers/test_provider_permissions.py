"""What the functions may do for the providers' sake: the least, and only what is asked for."""

from typing import Any

from tests.support.template_queries import (
    FUNCTIONS,
    RESOURCES,
    TEMPLATE,
    actions,
    properties,
    statements,
)

CALLERS = ("ChatFunction", "DiagnosticsFunction", "DraftFunction", "ExtractFunction")
ARN = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter"


def test_only_functions_that_call_models_may_call_bedrock() -> None:
    """With the one action that Converse and InvokeModel need."""
    allowed = {(name, action) for name in FUNCTIONS for action in actions(name, "bedrock:")}
    assert allowed == {(name, "bedrock:InvokeModel") for name in CALLERS}


def written(name: str) -> list[Any]:
    """The statements of a function as they stand in the template, conditions and all."""
    role = properties(name).get("Role")
    owner = properties(role["Fn::GetAtt"][0] if role else name)
    return [s for p in owner["Policies"] for s in p.get("PolicyDocument", p)["Statement"]]


def test_bedrock_is_open_for_the_named_models_alone() -> None:
    """Without any there is no permission: the default."""
    for name in CALLERS:
        [found] = [s for s in written(name) if "bedrock:" in str(s)]
        condition, statement, otherwise = found["Fn::If"]
        assert condition == "UsesBedrock"
        assert statement["Resource"] == {"Fn::Split": [",", {"Ref": "BedrockModels"}]}
        assert otherwise == {"Ref": "AWS::NoValue"}
    assert TEMPLATE["Conditions"]["UsesBedrock"] == {
        "Fn::Not": [{"Fn::Equals": [{"Ref": "BedrockModels"}, ""]}]
    }
    assert TEMPLATE["Parameters"]["BedrockModels"]["Default"] == ""


def test_a_key_may_be_read_where_a_parameter_names_it() -> None:
    """OpenRouter's and Anthropic's are none by default, and then nothing may be read for them."""
    for statement in statements():
        if statement["Action"] == "ssm:GetParameter":
            _, openrouter, anthropic = statement["Resource"]
            for given, name in ((openrouter, "OpenRouter"), (anthropic, "Anthropic")):
                condition, arn, otherwise = given["Fn::If"]
                assert condition == f"Uses{name}"
                assert arn == {"Fn::Sub": f"{ARN}${{{name}ApiKeyParameter}}"}
                assert otherwise == {"Ref": "AWS::NoValue"}
    assert all("ssm:GetParameter" in actions(name) for name in CALLERS)
    assert "ssm:" not in str(RESOURCES["MaintenanceFunction"])


def test_no_key_stands_in_the_template() -> None:
    """Of each provider's key only the name of what holds it is there."""
    variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    assert not {name for name in variables if name.endswith("_API_KEY")}
    for name in ("OpenRouter", "Anthropic"):
        assert TEMPLATE["Parameters"][f"{name}ApiKeyParameter"]["Default"] == ""
