"""Who gets in: only who holds a valid token, and only to their own things."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from infra.local.template import load_template, routes
from infra.stack.issuer import Issuer
from tests.support.deployment import Account, Control, Deployment
from tests.support.template_queries import ROOT

ROUTES = [r for r in routes(load_template(ROOT / "template.yaml")) if r.needs_token]

BAD_TOKENS: dict[str, Callable[[Issuer], str]] = {
    "expired": lambda issuer: issuer.token("ada", exp=int(time.time()) - 60),
    "not valid yet": lambda issuer: issuer.token("ada", nbf=int(time.time()) + 3600),
    "for another audience": lambda issuer: issuer.token("ada", aud="someone-else"),
    "of another issuer": lambda issuer: issuer.token("ada", iss="https://issuer.invalid"),
    "signed by another key": lambda issuer: issuer.token(
        "ada", key=rsa.generate_private_key(public_exponent=65537, key_size=2048)
    ),
}


def test_health_needs_no_token(target: Deployment) -> None:
    """It says the version and what the deployment can do."""
    answer = target.call("GET", "/v1/health")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.key.replace("/", "."))
def test_a_route_without_a_token_is_401(target: Deployment, route: Any) -> None:
    """Every route but health, before any of our code runs."""
    assert (
        target.call(route.method, route.path.replace("{", "").replace("}", "")).status_code == 401
    )


@pytest.mark.parametrize("kind", BAD_TOKENS)
def test_a_bad_token_is_401(target: Deployment, control: Control, kind: str) -> None:
    """Whatever is wrong with it, nothing is told but that."""
    answer = target.call("GET", "/v1/profile", token=BAD_TOKENS[kind](control.issuer))
    assert answer.status_code == 401
    assert "ada" not in answer.text


def test_a_token_of_ones_own_making_is_401(target: Deployment) -> None:
    """A well-formed token that nobody's issuer signed."""
    with Issuer() as nobodys:
        assert target.call("GET", "/v1/profile", token=nobodys.token("ada")).status_code == 401
    assert target.call("GET", "/v1/profile", token="not.a.token").status_code == 401


def test_two_accounts_see_nothing_of_each_other(ada: Account, bob: Account) -> None:
    """What ada can read is to bob the same 404 as a thing that isn't there."""
    session_id = ada.session()
    said = ada.say(session_id, "I keep bees, and I moved to Bergen last May.")
    job = ada.ended(said["extraction"]["job_id"])
    turn_id = said["assistant_turn"]["id"]
    paths = [
        f"/v1/sessions/{session_id}",
        f"/v1/sessions/{session_id}/turns",
        f"/v1/turns/{turn_id}",
        f"/v1/turns/{turn_id}/receipt",
        f"/v1/jobs/{job['id']}",
        *(f"/v1/memories/{memory_id}" for memory_id in job["result"]["stored"]),
    ]
    missing = bob.call("GET", f"/v1/jobs/{job['id'][:-4]}aaaa")
    for path in paths:
        assert ada.call("GET", path).status_code == 200
        refused = bob.call("GET", path)
        assert refused.status_code == 404
        assert refused.json()["detail"] == missing.json()["detail"]
    refused = bob.call("POST", f"/v1/sessions/{session_id}/messages", {"content": "hello"})
    assert refused.status_code == 404
    assert bob.call("DELETE", f"/v1/sessions/{session_id}").status_code == 404


def test_one_accounts_memory_is_not_recalled_for_another(ada: Account, bob: Account) -> None:
    """The same question, in both accounts: only the one who said it has the answer."""
    said = ada.say(ada.session(), "I am allergic to hazelnuts.")
    job = ada.ended(said["extraction"]["job_id"])
    assert job["result"]["stored"]
    question = "What am I allergic to?"
    assert [m["memory_id"] for m in ada.say(ada.session(), question)["context"]["memories"]]
    asked = bob.say(bob.session(), question)["context"]["memories"]
    assert not {m["memory_id"] for m in asked} & set(job["result"]["stored"])
