"""Remember what requests with an id were answered, so that a repetition changes nothing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, and the index by which old answers are forgotten."""
    op.create_table(
        "request_answers",
        sa.Column("account_id", KEY, autoincrement=False, nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_request_answers_account_id")),
        sa.PrimaryKeyConstraint("account_id", "method", "request_id", name=op.f("pk_request_answers")),
    )
    op.create_index(op.f("ix_request_answers_account_id_made_at"), "request_answers", ["account_id", "made_at"])
