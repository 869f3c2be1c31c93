"""What keeps a page safe: rights, cookies, forms, headers, refusals, and a log without secrets."""

import io
import json
import logging
import re

import pytest
from fastapi.routing import APIRoute
from webbing import cookie_of, form_token_of, serving

from arena.core.errors import Unavailable
from arena.services import accounts
from arena.services.access import PUBLIC, RIGHTS
from arena.store.states import Role
from arena.telemetry.logs import configure
from arena.web.pages import ROUTERS
from arena.web.site import Site
from arena.web.tries import MOST

ROUTES = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]


def rights(route: APIRoute) -> set[str]:
    """The RPCs whose rights a route asks; "" for one that tells nothing of the arena."""
    asked = [one.call for one in route.dependant.dependencies]
    return {call.__dict__["rpc"] for call in asked if "rpc" in getattr(call, "__dict__", {})}


@pytest.fixture(scope="module")
def cookie(web, played):
    """Cookies by account, signed in once."""
    return {name: web.sign_in(secret) for name, secret in played.secrets.items()}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{min(route.methods)} {route.path}")
def test_every_address_names_the_rpcs_that_it_stands_for(route):
    assert rights(route)
    assert all(f"/arena.v1.{rpc}" in RIGHTS for rpc in rights(route) - {""})


def test_every_address_that_changes_something_takes_forms_of_our_own_pages_only(web, cookie):
    for route in ROUTES:
        if "POST" in route.methods and route.path != "/replay/frames.json":
            path = re.sub(r"{[^}]+}", "none", route.path)
            answer = web.fetch(path, cookie=cookie["admin"], form={"token": "x"})
            assert (answer.status, "FOREIGN_FORM" in answer.text) == (403, True), path


def test_a_spectator_is_asked_to_sign_in_where_an_rpc_is_not_public(web):
    for route in ROUTES:
        if "GET" in route.methods and any(f"/arena.v1.{rpc}" not in PUBLIC for rpc in rights(route) - {""}):
            answer = web.fetch(re.sub(r"{[^}]+}", "1", route.path))
            assert answer.status == 401, route.path
            assert "/sign-in?back=" in answer.text


def test_the_role_decides_as_for_the_rpc(web, cookie):
    assert web.send("/tournaments/night-league/pause", cookie["ann"]).status == 403
    assert web.send("/tournaments/night-league/pause", cookie["olga"]).status == 303
    assert web.send("/tournaments/night-league/resume", cookie["admin"]).status == 303


def test_output_is_shown_to_its_author_alone(web, cookie, played):
    page = "/matches/1/seats/0"
    seat = next(name for name in ("ann", "bob") if web.fetch(page, cookie=cookie[name]).status == 200)
    other = "bob" if seat == "ann" else "ann"
    shown = web.fetch(page, cookie=cookie[seat])
    assert " thinks of 1" in shown.text
    assert "no-store" in shown.headers["cache-control"]
    assert web.fetch(page, cookie=cookie[other]).status == 403
    assert web.fetch(page, cookie=cookie["admin"]).status == 200
    assert web.fetch(f"/matches/{played.half_played[0]}/seats/0", cookie=cookie["admin"]).status == 403


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites_and_holds_no_token(web, played):
    asked = web.fetch("/sign-in")
    form = {"form_token": form_token_of(asked), "token": f"  {played.secrets['ann']} "}
    answer = web.fetch("/sign-in", cookie=cookie_of(asked), form=form)
    said = answer.headers["set-cookie"]
    assert answer.status == 303
    assert {"HttpOnly", "SameSite=strict", "Max-Age=43200", "Path=/"} <= set(said.split("; "))
    assert played.secrets["ann"] not in repr(answer)


def test_over_tls_the_cookie_is_sent_over_tls_only(played):
    with serving(Site(played.world.store, now=lambda: played.world.now, secure=True)) as safe:
        answer = safe.fetch("/sign-in")
    assert answer.headers["set-cookie"].startswith("__Host-whiteout=")
    assert "Secure" in answer.headers["set-cookie"].split("; ")
    assert "max-age=31536000" in answer.headers["strict-transport-security"]


def test_a_sign_in_ends_with_its_token_with_time_and_with_signing_out(web, played):
    world = played.world
    account = accounts.create_account(
        world.store,
        accounts.authenticate(world.store, played.secrets["admin"], world.now),
        "zoe",
        Role.AUTHOR,
        world.now,
    )
    made = accounts.issue_token(world.store, account, "", "web", world.now)
    first = web.sign_in(made.secret)
    assert web.fetch("/me", cookie=first).status == 200
    out = web.send("/sign-out", first)
    assert 'whiteout=""' in out.headers["set-cookie"]
    accounts.revoke_token(world.store, account, made.token.id, world.now)
    assert web.fetch("/me", cookie=first).status == 401
    later = web.sign_in(accounts.issue_token(world.store, account, "", "web", world.now).secret)
    then = world.now
    world.wait(hours=13)
    assert web.fetch("/me", cookie=later).status == 401
    world.now = then


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c[:-1] + ("0" if c[-1] != "0" else "1"),
        lambda c: c.replace("=", "=9"),
        lambda c: "whiteout=x",
        lambda c: "whiteout=" + "." * 400,
    ],
)
def test_a_cookie_that_is_not_ours_is_nobodys(web, cookie, change):
    assert web.fetch("/me", cookie=change(cookie["ann"])).status == 401


def test_signing_in_gives_a_new_form_token(web, played):
    asked = web.fetch("/sign-in")
    signed = web.sign_in(played.secrets["ann"])
    answer = web.fetch("/sign-out", cookie=signed, form={"form_token": form_token_of(asked)})
    assert answer.status == 403


def test_a_form_of_somebody_elses_page_is_refused(web, cookie):
    token = form_token_of(web.fetch("/", cookie=cookie["bob"]))
    assert web.fetch("/sign-out", cookie=cookie["ann"], form={"form_token": token}).status == 403


def test_a_form_that_another_site_sends_is_refused_even_with_its_token(web, cookie):
    token = form_token_of(web.fetch("/", cookie=cookie["ann"]))
    answer = web.fetch("/sign-out", cookie=cookie["ann"], form={"form_token": token}, Sec_Fetch_Site="cross-site")
    assert answer.status == 403


def test_only_so_many_tries_to_sign_in_may_fail(played):
    world = played.world
    with serving(Site(world.store, now=lambda: world.now)) as web:
        asked = web.fetch("/sign-in")

        def attempt(token: str) -> int:
            form = {"form_token": form_token_of(asked), "token": token}
            return web.fetch("/sign-in", cookie=cookie_of(asked), form=form).status

        assert [attempt(f"wo_wrong{number}") for number in range(MOST)] == [401] * MOST
        assert attempt(played.secrets["ann"]) == 429
        world.wait(minutes=2)
        assert attempt(played.secrets["ann"]) == 303


@pytest.mark.parametrize(
    "back",
    [
        "https://elsewhere.example/",
        "//elsewhere.example",
        "///elsewhere.example",
        "/\\elsewhere.example",
        "/%09/elsewhere.example",
        "/%0d%0aSet-Cookie:whiteout=x",
        "javascript:alert(1)",
    ],
)
def test_signing_in_leads_to_pages_of_ours_only(web, back):
    assert 'name="back" value="/"' in web.fetch(f"/sign-in?back={back}").text


def test_browsers_are_told_to_be_careful_on_every_page(web, cookie):
    for path in ("/", "/nothing", "/leaderboards/1.json", "/static/site.css", "/me"):
        headers = web.fetch(path, cookie=cookie["ann"]).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "server" not in headers


def test_no_page_has_a_script_or_a_style_within_it(web, cookie):
    for path in (
        "/",
        "/leaderboards/1",
        "/bots/aurora",
        "/tournaments/winter-cup",
        "/versus?one=aurora&other=drift",
        "/matches",
    ):
        text = web.fetch(path, cookie=cookie["admin"]).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=\"/static/)|javascript:", text), path
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text), path


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/nothing", 404, "NO_SUCH_PAGE"),
        ("/leaderboards/99", 404, "NO_SUCH_POOL"),
        ("/leaderboards/x", 422, "BAD_ADDRESS"),
        ("/leaderboards/1?page=0", 422, "BAD_ADDRESS"),
        ("/bots/nobody", 404, "NO_SUCH_BOT"),
        ("/bots/aurora?after=xx", 422, "BAD_PAGE_TOKEN"),
        ("/tournaments/nothing", 404, "NO_SUCH_TOURNAMENT"),
        ("/tournaments?state=odd", 422, "BAD_STATE"),
        ("/versus?one=aurora&other=aurora", 422, "SAME_BOT"),
        ("/versus?one=<b>&other=aurora", 422, "BAD_NAME"),
        ("/static/../app.py", 404, "NO_SUCH_FILE"),
        ("/static/site.css/x", 404, "NO_SUCH_FILE"),
    ],
)
def test_a_refusal_is_a_page_with_one_line_and_the_way_out(web, path, status, code):
    answer = web.fetch(path.replace("<b>", "%3Cb%3E"))
    assert (answer.status, code in answer.text) == (status, True)
    assert "Traceback" not in answer.text
    assert 'href="/"' in answer.text
    assert answer.headers["cache-control"] == "no-store"


def test_a_refusal_to_a_program_is_json(web):
    answer = web.fetch("/leaderboards/99.json")
    assert answer.status == 404
    assert json.loads(answer.body)["error"]["code"] == "NO_SUCH_POOL"


def test_an_address_that_takes_no_form_says_so(web):
    assert web.fetch("/leaderboards", method="DELETE").status == 405


def test_a_fault_of_ours_tells_a_number_and_nothing_else(played):
    class Broken:
        def read(self):
            raise RuntimeError("what nobody is to know")

    site = Site(Broken(), now=lambda: played.world.now)
    with serving(site) as web:
        page, program = web.fetch("/"), web.fetch("/versus.json?one=a1&other=b1")
    for answer in (page, program):
        assert answer.status == 500
        assert "incident" in answer.text
        assert "nobody is to know" not in answer.text
        assert answer.headers["content-security-policy"]


def test_a_database_that_is_away_is_told_to_everybody_as_a_page(played, cookie):
    class Away:
        def read(self):
            raise Unavailable("the database cannot be reached; look at its log", reason="DATABASE_UNREACHABLE")

    with serving(Site(Away(), now=lambda: played.world.now, key=bytes(32))) as lame:
        for who in ("", cookie["ann"]):
            answer = lame.fetch("/", cookie=who)
            assert (answer.status, "DATABASE_UNREACHABLE" in answer.text) == (503, True)
            assert answer.headers["retry-after"] == "30"


def test_head_tells_what_get_would_without_the_page(web):
    for path in ("/", "/leaderboards/1.csv", "/nothing"):
        got, head = web.fetch(path), web.fetch(path, method="HEAD")
        assert head.body == b""
        assert (head.status, head.headers["content-type"]) == (got.status, got.headers["content-type"])


def test_a_page_that_has_not_changed_is_not_sent_again(web, cookie):
    first = web.fetch("/leaderboards/1")
    again = web.fetch("/leaderboards/1", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    own = web.fetch("/me", cookie=cookie["ann"])
    assert "etag" not in own.headers
    assert own.headers["cache-control"] == "private, no-store"


def test_files_under_the_address_that_pages_name_are_kept_for_ever(web):
    address = re.search(r"/static/site\.css\?v=\w+", web.fetch("/").text)[0]
    assert "immutable" in web.fetch(address).headers["cache-control"]
    assert web.fetch("/static/site.css").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_whoever_watches_the_server_is_told_that_it_runs(web, path):
    assert web.fetch(path).text == "ok\n"


def test_the_log_has_a_line_for_every_request_and_no_secret_in_it(web, played):
    root = logging.getLogger()
    handlers, level, said = root.handlers[:], root.level, io.StringIO()
    configure("web", said)
    try:
        web.fetch(f"/matches?bot=aurora&token={played.secrets['ann']}")
        web.sign_in(played.secrets["ann"])
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    lines = [json.loads(line) for line in said.getvalue().splitlines()]
    assert ("/matches", 200) in [(line.get("path"), line.get("status")) for line in lines]
    assert played.secrets["ann"] not in said.getvalue()
    assert "wo_" not in said.getvalue()


def test_a_form_too_large_to_be_one_is_not_read(web, cookie):
    answer = web.fetch("/sign-out", cookie=cookie["ann"], form={"form_token": "x" * 70_000})
    assert (answer.status, "FORM_TOO_LARGE" in answer.text) == (429, True)
