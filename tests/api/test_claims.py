"""What a token's claims grant, in each shape gateways hand them on; nothing in any other."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.api.claims import Principal, claim_words, principal
from strandline.errors import Unauthenticated
from tests.support.laws import law

SCOPES = {"debug:read", "turns:read"}
WORDS = st.text("abcxyz0189:._-/", min_size=1, max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def event(**claims: Any) -> dict[str, Any]:
    """An event with those claims."""
    return {"requestContext": {"authorizer": {"jwt": {"claims": {"sub": "ada"} | claims}}}}


@pytest.mark.parametrize(
    "claim",
    [
        ["debug:read", "turns:read"],
        '["debug:read", "turns:read"]',
        "[debug:read turns:read]",
        "[debug:read, turns:read]",
        "debug:read turns:read",
        "  turns:read \n debug:read ",
    ],
)
@pytest.mark.parametrize("name", ["scope", "scp", "scopes"])
def test_every_known_shape_is_understood(name: str, claim: Any) -> None:
    """A list, a JSON list in a string, the gateway's brackets and plain text say the same."""
    assert principal(event(**{name: claim})).scopes == SCOPES


@pytest.mark.parametrize(
    "claim",
    [
        None,
        True,
        1,
        {"debug:read": True},
        {"scopes": ["debug:read"]},
        [["debug:read"]],
        [{"name": "debug:read"}],
        ["debug:read", 1],
        ["debug:read turns:read"],
        "",
        "<nil>",
        '{"scope": "debug:read"}',
        "{scope: debug:read }",
        "map[a:b debug:read c:d]",
        '"debug:read"',
        "debug:read, turns:read",
        "[[debug:read turns:read]]",
        "[" * 20_000 + "debug:read" + "]" * 20_000,
    ],
)
def test_an_unknown_shape_grants_nothing(claim: Any) -> None:
    """What isn't one of the known shapes is not guessed at."""
    assert claim_words(claim) == frozenset()


@given(st.lists(WORDS, max_size=5))
@law()
def test_all_shapes_of_the_same_words_grant_the_same(scopes: list[str]) -> None:
    """Whichever way a gateway writes a list of scopes, it is that list."""
    shapes = [scopes, json.dumps(scopes), f"[{' '.join(scopes)}]", " ".join(scopes)]
    # `[1]` is a JSON list of a number: the one word whose two spellings can't be told apart.
    if all(word[0] not in "-0189" for word in scopes):
        assert {claim_words(shape) for shape in shapes} == {frozenset(scopes)}


@given(JSON.filter(lambda value: not isinstance(value, str | list)))
@law()
def test_a_claim_that_is_neither_text_nor_list_grants_nothing(claim: Any) -> None:
    """Objects, numbers, booleans and nothing are no scopes, as they are and as JSON in a list."""
    assert claim_words(claim) == frozenset()
    assert claim_words([claim]) == frozenset()
    assert claim_words(json.dumps([claim])) == frozenset()


@given(st.text(max_size=40) | JSON)
@law()
def test_nothing_is_granted_that_the_claim_does_not_spell_out(claim: Any) -> None:
    """Every word granted stands in the claim by itself, and no claim raises."""
    text = claim if isinstance(claim, str) else json.dumps(claim, ensure_ascii=False)
    for word in claim_words(claim):
        assert word in text
        assert not set(word) & set(' \t\n"[]{}<>,\\')


@pytest.mark.parametrize("sub", [None, "", " \t", 7, ["ada"], "a" * 256, "é" * 128, "a\nb", "\x00"])
def test_a_subject_that_is_no_account_is_nobody(sub: Any) -> None:
    """Missing, blank, of another type, too long or unprintable: 401."""
    with pytest.raises(Unauthenticated):
        principal(event(sub=sub))


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"requestContext": None},
        {"requestContext": {"authorizer": None}},
        {"requestContext": {"authorizer": {"jwt": None}}},
        {"requestContext": {"authorizer": {"jwt": {"claims": None}}}},
        {"requestContext": {"authorizer": {"jwt": {"claims": ["sub", "ada"]}}}},
        {"requestContext": {"authorizer": {"lambda": {"sub": "ada"}}}},
    ],
)
def test_without_an_authorizers_claims_there_is_no_caller(broken: dict[str, Any]) -> None:
    """No part of the way to the claims may be missing or of another type."""
    with pytest.raises(Unauthenticated):
        principal(broken)


@pytest.mark.parametrize(
    ("said", "developer"),
    [(True, True), ("true", True), (1, False), ("1", False), ("True", False), (["true"], False)],
)
def test_only_true_makes_a_developer(said: Any, developer: bool) -> None:
    """The claim is the boolean, or the text a gateway makes of it."""
    assert principal(event(developer=said)).developer is developer


@pytest.mark.parametrize(
    "claim", [["admins", "developers"], "[developers]", "[admins developers]", "[developers b]"]
)
def test_who_is_in_cognitos_group_of_developers_is_one(claim: Any) -> None:
    """A list of groups, or what the gateway makes of it."""
    assert principal(event(**{"cognito:groups": claim})).developer is True


@pytest.mark.parametrize(
    "claim",
    [
        None,
        True,
        "developers",
        "admins developers",
        "[developers",
        "developers]",
        "[[developers]]",
        '["developers"]',
        "[Developers]",
        "[no-developers developers2]",
        "[admins,developers]",
        "[admins;developers other]",
        "map[developers:true]",
        '{"groups": ["developers"]}',
        {"developers": True},
        ["developers", 1],
        [["developers"]],
        ["admins developers"],
        ["strandline/developers"],
        "[]",
    ],
)
def test_any_other_claim_of_groups_makes_no_developer(claim: Any) -> None:
    """Other groups, parts of names, other shapes; and no group's name can be made to say it."""
    assert principal(event(**{"cognito:groups": claim})).developer is False


@pytest.mark.parametrize("name", ["groups", "cognito:roles", "custom:developer", "Developer"])
def test_no_other_claim_makes_a_developer(name: str) -> None:
    """What a user can write about himself, or another issuer calls groups, isn't looked at."""
    assert principal(event(**{name: "[developers]"})).developer is False
    assert principal(event(**{name: "true"})).developer is False


@pytest.mark.parametrize(
    "claim",
    [
        "aws.cognito.signin.user.admin strandline/debug:read strandline/turns:read",
        "[strandline/debug:read strandline/turns:read]",
        ["strandline/debug:read", "turns:read"],
    ],
)
def test_cognitos_scopes_of_our_resource_server_are_ours(claim: Any) -> None:
    """The resource server's name stands before each."""
    assert principal(event(scope=claim)).scopes - {"aws.cognito.signin.user.admin"} == SCOPES


@pytest.mark.parametrize(
    "scope",
    [
        "other/debug:read",
        "https://api.example/strandline/debug:read",
        "strandline/strandline/debug:read",
        "Strandline/debug:read",
        "strandline//debug:read",
        "strandline:debug:read",
        "strandline/debug",
        "/debug:read",
        "strandline/",
    ],
)
def test_a_scope_of_anything_else_grants_nothing_of_ours(scope: str) -> None:
    """Another resource server's scopes are for that server."""
    assert "debug:read" not in principal(event(scope=scope)).scopes


def test_a_grant_from_before_there_were_these_scopes_allows_nothing_more() -> None:
    """What the stack's own users get by password has none of them; a group alone gives no scope."""
    password = {"scope": "aws.cognito.signin.user.admin", "client_id": "client"}
    assert principal(event(**password)) == Principal(
        "ada", frozenset({"aws.cognito.signin.user.admin"}), developer=False
    )
    in_group = principal(event(**password, **{"cognito:groups": "[developers]"}))
    assert (in_group.scopes, in_group.developer) == ({"aws.cognito.signin.user.admin"}, True)
