"""`arena tournament export`: everything of a tournament in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.api.export import Export
from arena.cli.client import Session, connect
from arena.cli.logfile import check_writable, replacing, write_file
from arena.cli.matches import fetch_log, list_matches
from arena.cli.options import CaOption, DataOption, ServerOption, TokenFileOption
from arena.cli.output import note, progress
from arena.cli.standings import fetch_standings
from arena.core.errors import UsageError
from arena.v1 import tournament_pb2


def export(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")],
    file: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Ending .json, .csv, .pgn, or .zip for all and the logs."),
    ],
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
) -> None:
    """Write everything of a tournament into one file; logs of deals that are still closed are left out."""
    kind = file.suffix.lower()
    if kind not in {".json", ".csv", ".pgn", ".zip"}:
        raise UsageError(
            f"{file} tells no format; name a file that ends .json, .csv, .pgn or .zip", reason="BAD_FORMAT"
        )
    check_writable(file)
    with connect(server, token_file, data, ca) as session:
        whole = _fetch(session, name)
        if kind == ".zip":
            _write_archive(session, whole, file)
        else:
            written = {".json": whole.json, ".csv": whole.csv, ".pgn": whole.pgn}[kind]
            write_file(file, written().encode())
    note(f"{file}: {whole.told()}")


def _fetch(session: Session, name: str) -> Export:
    return Export(
        session.call(session.tournaments.GetTournament, tournament_pb2.GetTournamentRequest(name=name)),
        fetch_standings(session, name),
        session.call(session.tournaments.GetProof, tournament_pb2.GetProofRequest(name=name)),
        list_matches(session, name)[::-1],
        site=session.address,
    )


def _write_archive(session: Session, whole: Export, file: Path) -> None:
    """Write the archive; it is there whole or not at all."""
    with replacing(file) as raw, progress("logs", len(whole.with_logs())) as bar:

        def read_log(match_id: str) -> bytes:
            log = fetch_log(session, match_id)
            bar.advance(f"match {match_id}")
            return log

        whole.write_archive(raw, read_log)
