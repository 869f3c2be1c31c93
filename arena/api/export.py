"""Everything of a tournament as files: JSON, CSV, PGN, what its seeds follow from, and an archive with the logs."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Final

from arena.api.plain import as_plain, with_paired
from arena.core.cells import cell
from arena.v1 import match_pb2, tournament_pb2

COLUMNS: Final = (
    *("match", "deal", "leg", "state", "end", "reason", "plies", "attempts", "finished_at", "log_sha256"),
    *("seat", "bot", "version", "author", "rank", "score", "seat_end"),
    *("turns", "think_max_ms", "think_total_ms", "charged_total_ms"),
)
"""Columns of the CSV: one line a seat of a match."""

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Date of every file in an archive, so that two exports of one state are equal byte for byte."""


class Export:
    """A tournament as its server told it at one time."""

    def __init__(
        self,
        found: tournament_pb2.GetTournamentResponse,
        standings: tournament_pb2.GetStandingsResponse,
        proof: tournament_pb2.GetProofResponse,
        matches: Sequence[match_pb2.Match],
        *,
        site: str,
    ) -> None:
        """matches: all of the tournament's in order. site: where they were played, as people reach it."""
        self._found, self._standings, self._proof = found, standings, proof
        self._matches, self._site = list(matches), site

    def told(self) -> str:
        """Return what is in it, in a few words."""
        count, logs = len(self._matches), len(self.with_logs())
        return f"{count} match{'es' * (count != 1)}, {logs} of them with an open log"

    def json(self) -> str:
        """Return tournament, entrants, progress, standings, balance, proof and matches as JSON."""
        whole: dict[str, Any] = as_plain([self._found])[0]
        whole["standings"] = with_paired(as_plain(self._standings.standings), self._standings.paired)
        whole["closed"] = self._standings.closed
        whole["balance"] = as_plain([self._standings.balance])[0]
        whole["proof"] = self._proof_facts()
        whole["matches"] = as_plain(self._matches)
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"

    def csv(self) -> str:
        """Return the matches as CSV, one line a seat."""
        written = io.StringIO()
        table = csv.writer(written, lineterminator="\n")
        table.writerow(COLUMNS)
        for match in as_plain(self._matches):
            facts = [match[name] for name in ("id", "deal", "leg")]
            facts += [_short(match["state"], "MATCH_STATE_"), _short(match["end"], "MATCH_END_")]
            facts += [match["reason"], match["plies"], match["attempts"]]
            facts += [match.get("finished_at", ""), match["log_sha256"]]
            for seat in match["seats"]:
                table.writerow([cell(value) for value in (*facts, *_seat(seat))])
        return written.getvalue()

    def pgn(self) -> str:
        """Return a paragraph of tags for every match, in the manner of PGN; the plies stand in the logs."""
        return "\n".join(f"{_tags(self._facts_of(match))}\n" for match in self._matches)

    def proof(self) -> str:
        """Return what `tools/verify_log.py --tournament` reads."""
        return json.dumps(self._proof_facts(), indent=1) + "\n"

    def write_archive(self, raw: IO[bytes], read_log: Callable[[str], bytes]) -> None:
        """Write a zip of all of it and every open log; read_log: returns a match's log by its id."""
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (
                ("tournament.json", self.json()),
                ("matches.csv", self.csv()),
                ("matches.pgn", self.pgn()),
                ("proof.json", self.proof()),
            ):
                archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
            for match in self.with_logs():
                archive.writestr(zipfile.ZipInfo(_log_name(match), _DATE), read_log(match.id), zipfile.ZIP_DEFLATED)

    def with_logs(self) -> list[match_pb2.Match]:
        """Return the matches whose logs may be read."""
        return [match for match in self._matches if match.deal_open and match.log_sha256]

    def _proof_facts(self) -> dict[str, Any]:
        facts = as_plain([self._proof])[0]
        facts["matches"] = {match.id: match.deal for match in self.with_logs()}
        return facts

    def _facts_of(self, match: match_pb2.Match) -> dict[str, str]:
        plain = as_plain([match])[0]
        finished = str(plain.get("finished_at", ""))
        seats = plain["seats"]
        end = _short(plain["end"], "MATCH_END_")
        has_log = match.deal_open and match.log_sha256
        return {
            "Event": match.tournament,
            "Site": self._site,
            "Date": finished[:10].replace("-", ".") or "????.??.??",
            "Round": f"{match.deal}.{match.leg}",
            **{f"Seat{seat['seat']}": f"{seat['bot']}@{seat['version']}" for seat in seats},
            "Result": _result([seat["rank"] for seat in seats]),
            "Game": match.game,
            "Variant": match.variant,
            "Match": match.id,
            "Termination": f"{end}: {match.reason}" if end else _short(plain["state"], "MATCH_STATE_"),
            "SeatEnds": " ".join(_short(seat["end"], "SEAT_END_") or "-" for seat in seats),
            "Scores": " ".join(str(seat.get("score", "-")) for seat in seats),
            "PlyCount": str(match.plies),
            **({"Log": _log_name(match), "LogSha256": match.log_sha256} if has_log else {}),
        }


def _result(ranks: Sequence[int]) -> str:
    """Return PGN's word for two seats, all ranks for more, "*" without a result."""
    if not all(ranks):
        return "*"
    if len(ranks) != 2:
        return " ".join(map(str, ranks))
    if ranks[0] == ranks[1]:
        return "1/2-1/2"
    return "1-0" if ranks[0] < ranks[1] else "0-1"


def _tags(facts: Mapping[str, str]) -> str:
    escaped = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in facts.items()}
    return "\n".join(f'[{name} "{value}"]' for name, value in escaped.items())


def _seat(seat: Mapping[str, Any]) -> list[Any]:
    facts = [seat[name] for name in ("seat", "bot", "version", "author", "rank")]
    facts += [seat.get("score", ""), _short(seat["end"], "SEAT_END_")]
    return facts + [seat[name] for name in ("turns", "think_max_ms", "think_total_ms", "charged_total_ms")]


def _short(name: str, prefix: str) -> str:
    """Return an enum's name without its prefix, "" for UNSPECIFIED."""
    return name.removeprefix(prefix).removeprefix("UNSPECIFIED")


def _log_name(match: match_pb2.Match) -> str:
    return f"logs/{match.id}.jsonl"
