"""Let versions play from their authors' machines: who they are, who waits in the lobby, and for which seats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the tables; whatever was there is hosted."""
    op.execute("ALTER TABLE bot_versions ADD COLUMN remote BOOLEAN DEFAULT FALSE NOT NULL")
    op.create_table(
        "lobby_desks",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("beat_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lobby_desks")),
    )
    op.create_table(
        "lobby",
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.Column("desk_id", KEY, autoincrement=False, nullable=True),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("places", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("quiet_since", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["desk_id"], ["lobby_desks.id"], name=op.f("fk_lobby_desk_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_lobby_version_id")),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_lobby")),
    )
    op.create_index(op.f("ix_lobby_desk_id"), "lobby", ["desk_id"])
    op.create_table(
        "invitations",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.Column("block_id", KEY, autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("sent", sa.Boolean(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("ticket", sa.Text(), nullable=False),
        sa.Column("certificate", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["blocks.id"], name=op.f("fk_invitations_block_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_invitations_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_invitations_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint(
            "block_id", "attempt", "match_id", "seat", name=op.f("uq_invitations_block_id_attempt_match_id_seat")
        ),
    )
    op.create_index(op.f("ix_invitations_version_id"), "invitations", ["version_id"])
