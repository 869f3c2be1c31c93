"""The tables; the repository writes its statements on these names."""

from sqlalchemy import Table

from arena.store.tables.bots import ArchiveRow, BotRow, QualificationRow, VersionRow
from arena.store.tables.columns import METADATA as METADATA
from arena.store.tables.columns import Row
from arena.store.tables.lobby import DeskRow, InvitationRow, WaitingRow
from arena.store.tables.people import AccountRow, RequestAnswerRow, TokenRow
from arena.store.tables.play import LateResultRow, LogRow, MatchRow, SeatOutputRow, SeatRow, SeatTimesRow
from arena.store.tables.rating import PoolRow, RatingChangeRow, RatingRow
from arena.store.tables.schedule import AttemptRow, BlockRow, ComponentFileRow, DealRow, EntryRow, TournamentRow
from arena.store.tables.workers import WorkerRow


def _table(row: type[Row]) -> Table:
    return METADATA.tables[str(row.__tablename__)]


accounts = _table(AccountRow)
tokens = _table(TokenRow)
request_answers = _table(RequestAnswerRow)
archives = _table(ArchiveRow)
bots = _table(BotRow)
versions = _table(VersionRow)
qualifications = _table(QualificationRow)
pools = _table(PoolRow)
component_files = _table(ComponentFileRow)
tournaments = _table(TournamentRow)
entries = _table(EntryRow)
deals = _table(DealRow)
blocks = _table(BlockRow)
attempts = _table(AttemptRow)
workers = _table(WorkerRow)
matches = _table(MatchRow)
match_seats = _table(SeatRow)
match_logs = _table(LogRow)
seat_outputs = _table(SeatOutputRow)
seat_times = _table(SeatTimesRow)
late_results = _table(LateResultRow)
lobby = _table(WaitingRow)
lobby_desks = _table(DeskRow)
invitations = _table(InvitationRow)
ratings = _table(RatingRow)
rating_changes = _table(RatingChangeRow)
