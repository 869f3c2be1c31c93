"""A tournament's downloads: the same files that `arena tournament export` writes."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse

from arena.api import figures, wire
from arena.api.export import Export
from arena.core.errors import LimitReached
from arena.services import matches, tournaments
from arena.store.records import Match
from arena.v1 import tournament_pb2
from arena.web.rendering import tagged
from arena.web.site import Site, site_of
from arena.web.veil import veiled
from arena.web.visitors import may

router: Final = APIRouter(
    dependencies=[
        may("TournamentService/GetTournament"),
        may("TournamentService/GetProof"),
        may("MatchService/ListMatches"),
        may("MatchService/GetMatchLog"),
    ]
)

MOST_MATCHES: Final = 50_000
"""Matches of a tournament that the page exports; `arena tournament export` has no such bound."""

AT_ONCE: Final = 2
IN_MEMORY: Final = 8 * 1024 * 1024
_CHUNK: Final = 256 * 1024
_PLACES: Final = threading.BoundedSemaphore(AT_ONCE)

Name = Annotated[str, Path(max_length=60)]


@router.get("/tournaments/{name}/export.json")
def export_json(request: Request, name: Name) -> Response:
    """Return all of a tournament as JSON."""
    with _place():
        content = _export(request, name).json().encode()
    return tagged(request, content, "application/json", name=f"{name}.json")


@router.get("/tournaments/{name}/export.csv")
def export_csv(request: Request, name: Name) -> Response:
    """Return its matches as CSV, a line a seat."""
    with _place():
        content = _export(request, name).csv().encode()
    return tagged(request, content, "text/csv; charset=utf-8", name=f"{name}.csv")


@router.get("/tournaments/{name}/export.pgn")
def export_pgn(request: Request, name: Name) -> Response:
    """Return its matches in the manner of PGN."""
    with _place():
        content = _export(request, name).pgn().encode()
    return tagged(request, content, "application/x-chess-pgn; charset=utf-8", name=f"{name}.pgn")


@router.get("/tournaments/{name}/export.zip")
def export_zip(request: Request, name: Name) -> Response:
    """Return all of that and every open log as a zip."""
    store = site_of(request).store
    packed: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed once it is sent
    with _place():
        try:
            whole = _export(request, name)
            whole.write_archive(packed, lambda match_id: matches.get_log(store, int(match_id)).content)
        except BaseException:
            packed.close()
            raise
    size = packed.tell()
    packed.seek(0)
    headers = {
        "content-disposition": f'attachment; filename="{name}.zip"',
        "content-length": str(size),
        "cache-control": "no-store",
    }
    return StreamingResponse(_sent(packed), 200, headers, "application/zip")


@contextmanager
def _place() -> Iterator[None]:
    """Take one of the places for what reads a whole tournament. Raises LimitReached (TOO_MANY_EXPORTS)."""
    if not _PLACES.acquire(blocking=False):
        raise LimitReached(
            f"{AT_ONCE} downloads are being put together; try again in a moment", reason="TOO_MANY_EXPORTS"
        )
    try:
        yield
    finally:
        _PLACES.release()


def _sent(packed: IO[bytes]) -> Iterator[bytes]:
    with packed:
        while chunk := packed.read(_CHUNK):
            yield chunk


def _export(request: Request, name: str) -> Export:
    site = site_of(request)
    found = tournaments.progress(site.store, name, site.now())
    entered = tournaments.entrants(site.store, name)
    return Export(
        tournament_pb2.GetTournamentResponse(
            tournament=wire.tournament(found.tournament),
            entrants=[wire.entrant(each) for each in entered],
            progress=wire.progress(found),
        ),
        figures.standings(tournaments.standings(site.store, name, detail=True)),
        figures.proof(tournaments.proof(site.store, name)),
        [wire.match(veiled(each)) for each in _matches(site, name, found.counts.total)],
        site=str(request.base_url).rstrip("/"),
    )


def _matches(site: Site, name: str, total: int) -> list[Match]:
    """Return a tournament's matches in order. Raises LimitReached (TOO_MANY_MATCHES)."""
    if total > MOST_MATCHES:
        raise LimitReached(
            f"{name} has {total} matches, more than the {MOST_MATCHES} that this page exports;"
            f" use `arena tournament export {name} -o {name}.zip`",
            reason="TOO_MANY_MATCHES",
        )
    found: list[Match] = []
    token = ""
    while True:
        part = matches.list_matches(site.store, tournament=name, page_size=1000, page_token=token)
        found += part.items
        token = part.next_page_token
        if not token:
            return found[::-1]
