"""While a deal is being played, no page tells anybody anything of it: every route of the app, for every visitor.

The routes are those of the application itself; one with a parameter that stands in no table here fails.
"""

import base64
import itertools
import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from fastapi.routing import APIRoute
from playing import World
from webbing import Web, serving

from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.services import accounts, dispatch
from arena.services.results import SeatOutput, SeatTimes
from arena.store import open_store
from arena.store.states import Role
from arena.store.tables import deals, tournaments
from arena.web.pages import ROUTERS
from arena.web.site import Site

LOG = b"the actions of a closed deal"
OUTPUT = b"printed in a closed deal"
REASON = b"why-it-ended-so"
SCORES = (731_291, 418_773)
PLIES = 42_431
THOUGHT = 86_413

FILLED = {
    "name": ["cup", "ann", "site.css"],
    "name:path": ["site.css"],
    "pool_id": ["1"],
    "version": ["1"],
    "match_id": ["1", "4", "5", "12"],
    "seat": ["0", "1"],
    "table_id": ["none"],
}
"""What stands for the parameters of addresses. The cup has three pairs, two legs, two deals: match 4 is the last that
was played, 5 is running, 12 waits."""

QUERIES = {
    "/versus": [{"one": "ann", "other": "bob"}],
    "/versus.json": [{"one": "ann", "other": "bob"}],
    "/matches": [{}, {"tournament": "cup"}, {"state": "running"}, {"state": "finished"}, {"bot": "ann"}],
    "/matches/{match_id}": [{}, {"ply": "3"}],
    "/matches/{match_id}/replay": [{"ply": "3"}, {"looks": "0"}],
}
SENT = {
    "/sign-in": {"token": "wrong"},
    "/tournaments/{name}/withdraw": {"bot": "idle"},
    "/play": {"game": "first-snow", "bot": "ann"},
}
"""Fields of forms; none of them ends a tournament, which would open its deals."""

VISITORS = ("", "stranger", "author", "organiser", "admin")
ROUTES = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]


@pytest.fixture(scope="module")
def world(sqlite_template, tmp_path_factory) -> Iterator[World]:
    """A cup whose first deal is half played; everything of it is as told above."""
    store = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("closed")))
    made = World(store)
    roles = {"stranger": Role.AUTHOR, "author": Role.AUTHOR, "organiser": Role.ORGANISER}
    made.people = {name: made.account(name, role) for name, role in roles.items()} | {"admin": made.admin}
    for bot in ("ann", "bob", "cyd"):
        made.submit(bot, made.people["author"])
    made.submit("idle")
    made.admin = made.people["organiser"]
    made.started("cup", "ann", "bob", "cyd", deals=2)
    for _ in range(2):
        claim = made.claim()
        for leg in claim.legs:
            ends = (SeatEnd.PLAYED, SeatEnd.TIMEOUT)
            result = MatchResult(MatchEnd.FORFEIT, ends, (1, 2), SCORES, REASON.decode(), PLIES)
            outputs = (SeatOutput(OUTPUT, truncated=False),) * 2
            times = (SeatTimes((THOUGHT, 9), (THOUGHT, 4)),) * 2
            log = f'{{"says":"{LOG.decode()}","seed":"{leg.seed.hex()}"}}\n'
            made.record(claim, leg, result, log=log, outputs=outputs, times=times)
    made.claim("worker-2")
    yield made
    store.close()


@pytest.fixture(scope="module")
def web(world) -> Iterator[Web]:
    with serving(Site(world.store, now=lambda: world.now)) as running:
        yield running


@pytest.fixture(scope="module")
def cookies(web, world) -> dict[str, str]:
    found = {"": ""}
    for name, account in world.people.items():
        found[name] = web.sign_in(accounts.issue_token(world.store, account, "", "web", world.now).secret)
    return found


@pytest.fixture(scope="module")
def secrets(world) -> dict[str, bytes]:
    found = {"the log": LOG, "the output": OUTPUT, "the reason": REASON, "the end": b"timeout", "the plies": b"42431"}
    found |= {f"the score {score}": str(score).encode() for score in SCORES}
    found |= {"a think time": str(THOUGHT).encode(), "its seconds": b"86.4"}
    with world.store.read() as tx:
        found |= {f"the seed of deal {row.number}": bytes(row.seed) for row in tx.execute(deals.select())}
        found["the secret"] = bytes(tx.execute(tournaments.select()).one().secret)
    return found


def spellings(secret: bytes) -> Iterator[bytes]:
    yield secret
    for text in (secret.hex(), secret.hex().upper(), base64.b64encode(secret).decode().rstrip("=")):
        yield text.encode()
    with_thousands = f"{int(secret):,}" if secret.isdigit() else ""
    yield from (with_thousands.replace(",", mark).encode() for mark in (",", " ", "\u202f") if with_thousands)


def addresses(route: APIRoute) -> Iterator[str]:
    names = re.findall(r"{([^}]+)}", route.path)
    for values in itertools.product(*(FILLED[name] for name in names)):
        path = route.path
        for name, value in zip(names, values, strict=True):
            path = path.replace(f"{{{name}}}", value)
        for query in QUERIES.get(route.path, [{}]):
            yield f"{path}?{urlencode(query)}" if query else path


def answers(web: Web, route: APIRoute, cookie: str) -> Iterator[tuple[str, bytes]]:
    """Everything that comes back: head and body of every answer of a route, downloads unpacked."""
    for address in addresses(route):
        if "GET" in route.methods:
            answer = web.fetch(address, cookie=cookie)
        elif cookie:
            answer = web.send(address, cookie, **SENT.get(route.path, {}))
        else:
            answer = web.fetch(address, form=SENT.get(route.path, {}))
        assert answer.status < 500, f"{address}: {answer.status}"
        yield address, repr(answer.headers).encode() + answer.body + answer.unpacked()


def test_every_route_can_be_walked():
    unknown = {name for route in ROUTES for name in re.findall(r"{([^}]+)}", route.path)} - set(FILLED)
    assert unknown == set(), "say in FILLED what stands for these parameters"


@pytest.mark.parametrize("visitor", VISITORS)
def test_no_page_tells_anything_of_a_deal_that_is_being_played(web, cookies, secrets, visitor):
    # Signing out and playing go last: what follows would be another visitor's.
    walked = sorted((r for r in ROUTES if r.path != "/sign-out"), key=lambda route: "POST" in route.methods)
    told = [
        f"{address} tells {visitor or 'a spectator'} {what}"
        for route in walked
        for address, heard in answers(web, route, cookies[visitor])
        for what, secret in secrets.items()
        if any(spelled in heard for spelled in spellings(secret))
    ]
    assert told == []


def test_the_walk_finds_what_an_open_deal_tells(web, world, cookies, secrets):
    """Once everything is over the same walk finds all of it, so that it would have found it before."""
    world.wait(hours=1)
    dispatch.expire(world.store, world.now)
    world.wait(hours=1)
    world.play_all()
    heard = b"".join(
        body for route in ROUTES if "GET" in route.methods for _, body in answers(web, route, cookies["author"])
    )
    missed = [what for what, secret in secrets.items() if not any(one in heard for one in spellings(secret))]
    assert missed == []
