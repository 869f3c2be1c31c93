"""Matches: the list, and what the author of a seat's bot may read of it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from arena.core.errors import UsageError
from arena.core.registry import game_ids
from arena.services import matches
from arena.store.states import MatchState
from arena.web.drawings import bars
from arena.web.rendering import page, tagged
from arena.web.site import site_of
from arena.web.veil import veiled
from arena.web.visitors import account_of, may, visitor_of

router: Final = APIRouter()

PER_PAGE: Final = 50
MOST_OUTPUT: Final = 64 * 1024
"""Characters of a program's output that a page shows; the rest is in the download."""

MOST_TURNS: Final = 1000

STATES: Final[dict[str, tuple[MatchState | None, bool | None]]] = {
    "": (None, None),
    "queued": (MatchState.SCHEDULED, False),
    "running": (MatchState.SCHEDULED, True),
    "finished": (MatchState.FINAL, None),
    "cancelled": (MatchState.CANCELLED, None),
}
Word = Annotated[str, Query(max_length=60)]
MatchId = Annotated[int, Path(ge=1, lt=1 << 31)]
Seat = Annotated[int, Path(ge=0, le=99)]


@router.get("/matches", dependencies=[may("MatchService/ListMatches")])
def match_list(
    request: Request,
    *,
    tournament: Word = "",
    game: Word = "",
    bot: Word = "",
    state: Word = "",
    after: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """List matches, newest first."""
    if state not in STATES:
        raise UsageError(f"there is no state {state!r}; choose one of the form's", reason="BAD_STATE")
    wanted, running = STATES[state]
    found = matches.list_matches(
        site_of(request).store,
        tournament=tournament.strip(),
        game=game.strip(),
        bot=bot.strip(),
        state=wanted,
        running=running,
        page_size=PER_PAGE,
        page_token=after,
    )
    wish = {"tournament": tournament, "game": game, "bot": bot, "state": state}
    return page(
        request,
        "matches.html",
        matches=[veiled(match) for match in found.items],
        following=found.next_page_token,
        wish={name: value for name, value in wish.items() if value},
        states=list(STATES),
        games=game_ids(),
    )


@router.get("/matches/{match_id}/seats/{seat}", dependencies=[may("BotService/GetSeatOutput")])
def seat_record(request: Request, match_id: MatchId, seat: Seat) -> Response:
    """Show what a seat's program printed and how long it thought, to its author."""
    facts = _record(request, match_id, seat)
    text = facts.output.output.decode(errors="replace")
    times = facts.times
    return page(
        request,
        "seat.html",
        match_id=match_id,
        record=facts,
        output=text[:MOST_OUTPUT],
        cut=len(text) > MOST_OUTPUT,
        picture=bars(times.think_ms, times.charged_ms),
        turns=list(zip(times.think_ms, times.charged_ms, strict=False))[:MOST_TURNS],
    )


@router.get("/matches/{match_id}/seats/{seat}/output.txt", dependencies=[may("BotService/GetSeatOutput")])
def seat_output(request: Request, match_id: MatchId, seat: Seat) -> Response:
    """Return the whole output as a file."""
    content = _record(request, match_id, seat).output.output
    return tagged(request, content, "text/plain; charset=utf-8", own=True, name=f"match-{match_id}-seat-{seat}.txt")


def _record(request: Request, match_id: int, seat: int) -> matches.SeatRecord:
    return matches.get_seat_record(site_of(request).store, account_of(visitor_of(request)), match_id, seat)
