"""What a server knows about a log: its digest, its deal's revealed seed, and what that seed follows from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.cli.client import Session
from arena.cli.logfile import open_log
from arena.cli.matches import fetch_log
from arena.core.chance import seed_from_text
from arena.core.errors import ArenaError, UsageError
from arena.ladder.seeds import commitment_of, deal_seed, tournament_seed
from arena.match.entries import Header
from arena.v1 import match_pb2, tournament_pb2


@dataclass(frozen=True, slots=True)
class ServerLog:
    """A log to be compared with what the server keeps; what: as the user named it."""

    what: str
    content: bytes

    def check(self, session: Session, header: Header) -> Iterator[str]:
        """Yield what of the log differs from what the server keeps. Raises what the server refuses."""
        match_id = header.meta.get("match", "")
        if not match_id.isdecimal():
            raise UsageError(f"{self.what} is no log of a server: its header names no match", reason="NO_MATCH_ID")
        match = session.call(session.matches.GetMatch, match_pb2.GetMatchRequest(match_id=match_id)).match
        proof = session.call(session.tournaments.GetProof, tournament_pb2.GetProofRequest(name=match.tournament))
        if not match.deal_open:
            raise ArenaError(
                f"deal {match.deal} of {match.tournament} is still being played; the server tells nothing about match"
                f" {match_id} until it is over",
                reason="DEAL_CLOSED",
            )
        if hashlib.sha256(self.content).hexdigest() != match.log_sha256:
            yield f"it is not the log of match {match_id} that the server keeps"
        revealed = {deal.number: seed_from_text(deal.seed) for deal in proof.deals}.get(match.deal)
        if header.seed != revealed:
            yield f"its seed is not the one revealed for deal {match.deal} of {match.tournament}"
        if proof.secret and not _is_repeat(match):
            yield from _check_secret(proof, match, revealed)


def read_named(session: Session, what: str) -> ServerLog:
    """Return the log in a file of this name or, where there is none, of the match with this id."""
    path = Path(what)
    if not path.exists() and what.isdecimal():
        return ServerLog(f"match {what}", fetch_log(session, what))
    with open_log(path) as lines:
        return ServerLog(what, lines.read())


def _check_secret(
    proof: tournament_pb2.GetProofResponse, match: match_pb2.Match, revealed: bytes | None
) -> Iterator[str]:
    secret = bytes.fromhex(proof.secret)
    if commitment_of(secret) != proof.commitment:
        yield f"the secret of {match.tournament} is not the one its commitment was made for"
    # A qualification has no entrants, so there only the commitment can be checked.
    if proof.archives and deal_seed(tournament_seed(secret, proof.archives), match.deal) != revealed:
        yield f"the seed of deal {match.deal} does not follow from the secret and archives of {match.tournament}"


def _is_repeat(match: match_pb2.Match) -> bool:
    """Whether a match was played again on another tournament's seed, which its own secret says nothing about."""
    return match.tournament.startswith("repeat-")
