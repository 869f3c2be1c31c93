"""Index what is looked up while a tournament grows, count a ladder's blocks as they come, know who works."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

MOMENT = sa.DateTime(timezone=True)

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_tournaments_listed", "tournaments", ["id"], "format <> 'REQUEST'"),
    ("ix_tournaments_listed_state", "tournaments", ["state", "id"], "format <> 'REQUEST'"),
    ("ix_deals_closed", "deals", ["tournament_id"], "opened_at IS NULL"),
    ("ix_blocks_unfinished", "blocks", ["tournament_id", "state"], "state IN ('QUEUED', 'CLAIMED', 'HELD')"),
    ("ix_blocks_lost", "blocks", ["tournament_id", "ordinal"], "state = 'QUEUED' AND lost > 0"),
    ("ix_matches_aborted", "matches", ["tournament_id", "id"], "\"end\" = 'ABORTED'"),
    ("ix_matches_finished", "matches", ["tournament_id", "finished_at"], "finished_at IS NOT NULL"),
)

_PLAYED = """
    SELECT {what} FROM match_seats
    JOIN matches ON matches.id = match_seats.match_id
    JOIN blocks ON blocks.id = matches.block_id
    JOIN deals ON deals.id = matches.deal_id
    WHERE matches.tournament_id = entries.tournament_id AND match_seats.version_id = entries.version_id
    AND matches.leg = 1 AND blocks.state <> 'VOID'
"""


def upgrade() -> None:
    """Add the indexes, the counters with what they count today, and the table."""
    for name, table, columns, condition in _INDEXES:
        where = sa.text(condition)
        op.create_index(name, table, columns, unique=False, sqlite_where=where, postgresql_where=where)
    op.execute("ALTER TABLE entries ADD COLUMN blocks INTEGER DEFAULT 0 NOT NULL")
    op.execute("ALTER TABLE entries ADD COLUMN latest_deal INTEGER DEFAULT 0 NOT NULL")
    counted = _PLAYED.format(what="count(*)")
    latest = _PLAYED.format(what="coalesce(max(deals.number), 0)")
    ladders = "SELECT id FROM tournaments WHERE format = 'LADDER'"
    op.execute(
        f"UPDATE entries SET blocks = ({counted}), latest_deal = ({latest}) "  # noqa: S608 - all of it stands above
        f"WHERE tournament_id IN ({ladders})"
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "queue",
            sa.Enum("HOSTED", "REMOTE", name="queue", native_enum=False, create_constraint=True, length=20),
            nullable=False,
        ),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", "queue", name=op.f("pk_workers")),
    )
