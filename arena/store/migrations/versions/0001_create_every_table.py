"""Create every table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    _accounts()
    _tokens()
    _archives()
    _bots()
    _bot_versions()
    _pools()
    _component_files()
    _tournaments()
    _entries()
    _deals()
    _blocks()
    _matches()
    _match_seats()
    _match_logs()
    _attempts()
    _late_results()
    _seat_outputs()
    _seat_times()
    _ratings()
    _rating_changes()


def _choice(name: str, *values: str) -> sa.Enum:
    return sa.Enum(*values, name=name, native_enum=False, create_constraint=True, length=20)


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", _choice("role", "AUTHOR", "ORGANISER", "ADMIN"), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
    )


def _tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("account_id", KEY, autoincrement=False, nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_tokens_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_index(op.f("ix_tokens_account_id_id"), "tokens", ["account_id", "id"], unique=False)


def _archives() -> None:
    op.create_table(
        "archives",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_archives")),
    )


def _bots() -> None:
    op.create_table(
        "bots",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner_id", KEY, autoincrement=False, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["accounts.id"], name=op.f("fk_bots_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name", name=op.f("uq_bots_name")),
    )
    op.create_index(op.f("ix_bots_owner_id_name"), "bots", ["owner_id", "name"], unique=False)


def _bot_versions() -> None:
    op.create_table(
        "bot_versions",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("bot_id", KEY, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "state", _choice("state", "CHECKING", "ACCEPTED", "REJECTED", "RETIRED", "SET_ASIDE"), nullable=False
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("games", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("submitted_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_bot_versions_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot_versions")),
        sa.UniqueConstraint("bot_id", "content_digest", name=op.f("uq_bot_versions_bot_id_content_digest")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_bot_versions_bot_id_number")),
    )


def _pools() -> None:
    op.create_table(
        "pools",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rules_version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("components_digest", sa.Text(), nullable=False),
        sa.Column("remote", sa.Boolean(), nullable=False),
        sa.Column("draw_probability", sa.Double(), nullable=False),
        sa.Column("next_seq", KEY, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pools")),
        sa.UniqueConstraint(
            "game", "variant", "seats", "rules_version", "components_digest", "remote", name="uq_pools"
        ),
    )


def _component_files() -> None:
    op.create_table(
        "component_files",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_component_files")),
    )


def _tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("organiser_id", KEY, autoincrement=False, nullable=False),
        sa.Column("state", _choice("state", "CREATED", "RUNNING", "PAUSED", "FINISHED", "CANCELLED"), nullable=False),
        sa.Column("pool_id", KEY, autoincrement=False, nullable=False),
        sa.Column("deals", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("custom_components", sa.Boolean(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["organiser_id"], ["accounts.id"], name=op.f("fk_tournaments_organiser_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_tournaments_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
        sa.UniqueConstraint("name", name=op.f("uq_tournaments_name")),
    )
    op.create_index(op.f("ix_tournaments_state_id"), "tournaments", ["state", "id"], unique=False)


def _entries() -> None:
    op.create_table(
        "entries",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("tournament_id", KEY, autoincrement=False, nullable=False),
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.Column("entered_at", MOMENT, nullable=False),
        sa.Column("withdrawn_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_entries_tournament_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_entries_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        sa.UniqueConstraint("tournament_id", "version_id", name=op.f("uq_entries_tournament_id_version_id")),
    )


def _deals() -> None:
    op.create_table(
        "deals",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("tournament_id", KEY, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("opened_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_deals_tournament_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deals")),
        sa.UniqueConstraint("tournament_id", "number", name=op.f("uq_deals_tournament_id_number")),
    )


def _blocks() -> None:
    op.create_table(
        "blocks",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("tournament_id", KEY, autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("queue", _choice("queue", "HOSTED", "REMOTE"), nullable=False),
        sa.Column("state", _choice("state", "QUEUED", "CLAIMED", "HELD", "DONE", "VOID"), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("lost", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("not_before", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_blocks_tournament_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blocks")),
        sa.UniqueConstraint("tournament_id", "ordinal", name=op.f("uq_blocks_tournament_id_ordinal")),
    )
    op.create_index(
        "ix_blocks_queued",
        "blocks",
        ["queue", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'QUEUED'"),
        postgresql_where=sa.text("state = 'QUEUED'"),
    )


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("block_id", KEY, autoincrement=False, nullable=False),
        sa.Column("tournament_id", KEY, autoincrement=False, nullable=False),
        sa.Column("deal_id", KEY, autoincrement=False, nullable=False),
        sa.Column("pool_id", KEY, autoincrement=False, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("leg", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", _choice("state", "SCHEDULED", "FINAL", "CANCELLED"), nullable=False),
        sa.Column("rating_seq", KEY, nullable=True),
        sa.Column("folded", sa.Boolean(), nullable=False),
        sa.Column("lost", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=True),
        sa.Column("end", _choice("end", "COMPLETED", "FORFEIT", "VOID", "ABORTED"), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("plies", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("result_digest", sa.Text(), nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["block_id"], ["blocks.id"], name=op.f("fk_matches_block_id")),
        sa.ForeignKeyConstraint(["deal_id"], ["deals.id"], name=op.f("fk_matches_deal_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_matches_pool_id")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_matches_tournament_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("block_id", "leg", name=op.f("uq_matches_block_id_leg")),
    )
    op.create_index(op.f("ix_matches_deal_id_state"), "matches", ["deal_id", "state"], unique=False)
    op.create_index(op.f("ix_matches_game_id"), "matches", ["game", "id"], unique=False)
    op.create_index(op.f("ix_matches_state_id"), "matches", ["state", "id"], unique=False)
    op.create_index(op.f("ix_matches_tournament_id_id"), "matches", ["tournament_id", "id"], unique=False)
    op.create_index(
        op.f("ix_matches_tournament_id_state_id"), "matches", ["tournament_id", "state", "id"], unique=False
    )
    op.create_index(
        "uq_matches_rating_seq",
        "matches",
        ["pool_id", "rating_seq"],
        unique=True,
        sqlite_where=sa.text("rating_seq IS NOT NULL"),
        postgresql_where=sa.text("rating_seq IS NOT NULL"),
    )


def _match_seats() -> None:
    op.create_table(
        "match_seats",
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.Column("bot_id", KEY, autoincrement=False, nullable=False),
        sa.Column("pool_id", KEY, autoincrement=False, nullable=False),
        sa.Column("rating_seq", KEY, nullable=True),
        sa.Column("folded", sa.Boolean(), nullable=False),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("score", sa.Integer(), autoincrement=False, nullable=True),
        sa.Column(
            "end",
            _choice(
                "end",
                "PLAYED",
                "ILLEGAL_ACTION",
                "MALFORMED",
                "TIMEOUT",
                "CRASHED",
                "DISCONNECTED",
                "NO_SHOW",
                "RESIGNED",
                "REPLACED",
            ),
            nullable=True,
        ),
        sa.Column("turns", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("think_max_ms", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("think_total_ms", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("charged_total_ms", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_match_seats_bot_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_seats_match_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_match_seats_pool_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_match_seats_version_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_match_seats")),
    )
    op.create_index(op.f("ix_match_seats_bot_id_match_id"), "match_seats", ["bot_id", "match_id"], unique=False)
    op.create_index(
        "ix_match_seats_unfolded",
        "match_seats",
        ["pool_id", "version_id", "rating_seq"],
        unique=False,
        sqlite_where=sa.text("NOT folded AND rating_seq IS NOT NULL"),
        postgresql_where=sa.text("NOT folded AND rating_seq IS NOT NULL"),
    )


def _match_logs() -> None:
    op.create_table(
        "match_logs",
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_logs_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_match_logs")),
    )


def _attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("block_id", KEY, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", _choice("state", "ACTIVE", "DONE", "LOST", "RELEASED"), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("claimed_at", MOMENT, nullable=False),
        sa.Column("beat_at", MOMENT, nullable=False),
        sa.Column("lease_until", MOMENT, nullable=False),
        sa.Column("match_id", KEY, autoincrement=False, nullable=True),
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("deadline", MOMENT, nullable=True),
        sa.Column("progressed_at", MOMENT, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["blocks.id"], name=op.f("fk_attempts_block_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_attempts_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint("block_id", "number", name=op.f("uq_attempts_block_id_number")),
    )
    op.create_index(
        "ix_attempts_active",
        "attempts",
        ["lease_until"],
        unique=False,
        sqlite_where=sa.text("state = 'ACTIVE'"),
        postgresql_where=sa.text("state = 'ACTIVE'"),
    )
    op.create_index("ix_attempts_match", "attempts", ["match_id"], unique=False)


def _late_results() -> None:
    op.create_table(
        "late_results",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_late_results_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_late_results")),
    )
    op.create_index(op.f("ix_late_results_match_id"), "late_results", ["match_id"], unique=False)


def _seat_outputs() -> None:
    op.create_table(
        "seat_outputs",
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seat_outputs_match_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat_outputs")),
    )


def _seat_times() -> None:
    op.create_table(
        "seat_times",
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seat_times_match_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat_times")),
    )


def _ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("pool_id", KEY, autoincrement=False, nullable=False),
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("matches", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rank_sum", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("forfeits", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_ratings_pool_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_ratings_version_id")),
        sa.PrimaryKeyConstraint("pool_id", "version_id", name=op.f("pk_ratings")),
    )
    op.create_index(
        op.f("ix_ratings_pool_id_score_version_id"), "ratings", ["pool_id", "score", "version_id"], unique=False
    )


def _rating_changes() -> None:
    op.create_table(
        "rating_changes",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("match_id", KEY, autoincrement=False, nullable=False),
        sa.Column("version_id", KEY, autoincrement=False, nullable=False),
        sa.Column("bot_id", KEY, autoincrement=False, nullable=False),
        sa.Column("pool_id", KEY, autoincrement=False, nullable=False),
        sa.Column("rating_seq", KEY, nullable=False),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("mu_before", sa.Double(), nullable=False),
        sa.Column("sigma_before", sa.Double(), nullable=False),
        sa.Column("mu_after", sa.Double(), nullable=False),
        sa.Column("sigma_after", sa.Double(), nullable=False),
        sa.Column("finished_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_rating_changes_bot_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_rating_changes_match_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_rating_changes_pool_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name=op.f("fk_rating_changes_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_changes")),
        sa.UniqueConstraint("match_id", "version_id", name=op.f("uq_rating_changes_match_id_version_id")),
    )
    op.create_index(op.f("ix_rating_changes_bot_id_id"), "rating_changes", ["bot_id", "id"], unique=False)
    op.create_index(op.f("ix_rating_changes_version_id_id"), "rating_changes", ["version_id", "id"], unique=False)
