"""Say of a tournament how it pairs and whether it is rated, of an entry when it begins, of a block its lane."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ADDED = (
    # Alembic cannot add a column with a check to a SQLite table without making the table anew.
    (
        "ALTER TABLE tournaments ADD COLUMN format VARCHAR(20) DEFAULT 'ROUND_ROBIN' NOT NULL"
        " CONSTRAINT ck_tournaments_format CHECK (format IN ('ROUND_ROBIN', 'GAUNTLET', 'LADDER', 'REQUEST'))"
    ),
    "ALTER TABLE tournaments ADD COLUMN rated BOOLEAN DEFAULT TRUE NOT NULL",
    "ALTER TABLE entries ADD COLUMN first_deal INTEGER DEFAULT 1 NOT NULL",
    "ALTER TABLE entries ADD COLUMN late BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE entries ADD COLUMN head BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE entries ADD COLUMN head_start INTEGER DEFAULT 0 NOT NULL",
    (
        "ALTER TABLE blocks ADD COLUMN lane VARCHAR(20) DEFAULT 'TOURNAMENT' NOT NULL"
        " CONSTRAINT ck_blocks_lane CHECK (lane IN ('TOURNAMENT', 'LADDER', 'CHALLENGE', 'QUALIFICATION'))"
    ),
)


def upgrade() -> None:
    """Add the columns, and put the lane into the index that claims use."""
    for statement in _ADDED:
        op.execute(statement)
    op.drop_index("ix_blocks_queued", "blocks")
    op.create_index(
        "ix_blocks_queued",
        "blocks",
        ["queue", "lane", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'QUEUED'"),
        postgresql_where=sa.text("state = 'QUEUED'"),
    )
