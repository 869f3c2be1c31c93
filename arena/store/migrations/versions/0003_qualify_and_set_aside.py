"""Say which match decides about which version, how often a version failed in a row, how many choices a seat made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, the columns and the index by which a version's tournaments are found."""
    op.create_table(
        "qualifications",
        sa.Column("tournament_id", KEY, autoincrement=False, nullable=False),
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_qualifications_tournament_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_qualifications_version_id")),
        sa.PrimaryKeyConstraint("tournament_id", name=op.f("pk_qualifications")),
    )
    op.create_index(
        op.f("ix_qualifications_version_id_tournament_id"), "qualifications", ["version_id", "tournament_id"]
    )
    op.execute("ALTER TABLE bot_versions ADD COLUMN failed_in_row INTEGER DEFAULT 0 NOT NULL")
    op.execute("ALTER TABLE match_seats ADD COLUMN answers INTEGER")
    op.create_index(op.f("ix_entries_version_id"), "entries", ["version_id"])
