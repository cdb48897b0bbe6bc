"""The tables of the first schema, as a database of before has them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations


def create(connection: sa.Connection) -> None:
    """Makes them, at revision 0001."""
    op = Operations(MigrationContext.configure(connection))
    op.create_table(
        "clusters",
        sa.Column("cluster", sa.Text(), nullable=False),
        sa.Column("representative_id", sa.BigInteger(), nullable=True),
        sa.Column("first_at", sa.Float(), nullable=False),
        sa.Column("last_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("cluster", name=op.f("pk_clusters")),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.create_table(
        "sinks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_at", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("delivered", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("delivered_at", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sinks")),
    )
    op.create_table(
        "texts",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(length=16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("html", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_texts")),
        sa.UniqueConstraint("digest", name=op.f("uq_texts_digest")),
    )
    op.create_table(
        "articles",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_key", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.BigInteger(), nullable=False),
        sa.Column("text_id", sa.BigInteger(), nullable=False),
        sa.Column("content_hash", sa.BigInteger(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("first_archived_at", sa.Float(), nullable=False),
        sa.Column("archived_at", sa.Float(), nullable=False),
        sa.Column("dated_at", sa.Float(), nullable=False),
        sa.Column("withdrawn_at", sa.Float(), nullable=True),
        sa.Column("fetched_at", sa.Float(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("published", sa.Text(), nullable=True),
        sa.Column("published_at", sa.Float(), nullable=True),
        sa.Column("modified_at", sa.Float(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("images", sa.JSON(), nullable=False),
        sa.Column("keywords", sa.JSON(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("media", sa.JSON(), nullable=False),
        sa.Column("parent_url", sa.Text(), nullable=True),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("extractor", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("categories", sa.JSON(), nullable=False),
        sa.Column("relevance", sa.Float(), nullable=True),
        sa.Column("cluster", sa.Text(), nullable=True),
        sa.Column("cluster_role", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["text_id"], ["texts.id"], name=op.f("fk_articles_text_id_texts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_articles")),
        sa.UniqueConstraint("page_key", name=op.f("uq_articles_page_key")),
        sa.UniqueConstraint("version_id", name=op.f("uq_articles_version_id")),
    )
    op.create_index(op.f("ix_articles_archived_at"), "articles", ["archived_at"], unique=False)
    op.create_index(op.f("ix_articles_category"), "articles", ["category"], unique=False)
    op.create_index(op.f("ix_articles_cluster"), "articles", ["cluster"], unique=False)
    op.create_index(op.f("ix_articles_dated_at"), "articles", ["dated_at"], unique=False)
    op.create_index(op.f("ix_articles_job"), "articles", ["job"], unique=False)
    op.create_index(op.f("ix_articles_site"), "articles", ["site"], unique=False)
    op.create_index(op.f("ix_articles_text_id"), "articles", ["text_id"], unique=False)
    op.create_table(
        "versions",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("article_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("text_id", sa.BigInteger(), nullable=False),
        sa.Column("content_hash", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint_version", sa.SmallInteger(), nullable=False),
        sa.Column("distance", sa.SmallInteger(), nullable=True),
        sa.Column("fetched_at", sa.Float(), nullable=False),
        sa.Column("archived_at", sa.Float(), nullable=False),
        sa.Column("older", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["article_id"], ["articles.id"], name=op.f("fk_versions_article_id_articles"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["text_id"], ["texts.id"], name=op.f("fk_versions_text_id_texts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("article_id", "version", name=op.f("uq_versions_article_id_version")),
    )
    op.create_index(op.f("ix_versions_archived_at"), "versions", ["archived_at"], unique=False)
    op.create_index(op.f("ix_versions_text_id"), "versions", ["text_id"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sink", sa.Text(), nullable=False),
        sa.Column("article_id", sa.BigInteger(), nullable=False),
        sa.Column("version_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("'pending'"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("next_at", sa.Float(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["article_id"], ["articles.id"], name=op.f("fk_outbox_article_id_articles"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_outbox_version_id_versions"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_article_id"), "outbox", ["article_id"], unique=False)
    op.create_index("ix_outbox_sink_state_id", "outbox", ["sink", "state", "id"], unique=False)
    op.create_index(op.f("ix_outbox_version_id"), "outbox", ["version_id"], unique=False)
    op.bulk_insert(
        sa.table("counters", sa.column("name", sa.Text), sa.column("value", sa.BigInteger)),
        [{"name": name, "value": 0} for name in ("articles", "outbox", "texts", "versions")],
    )
    op.create_table("alembic_version", sa.Column("version_num", sa.String(32), nullable=False, primary_key=True))
    connection.execute(sa.text("INSERT INTO alembic_version VALUES ('0001')"))
