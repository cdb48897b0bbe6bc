"""The archive's tables.

``articles`` holds the newest state of each article, ``versions`` one row per published version, ``texts`` each main
text once. What an older version had otherwise than the one after it stands in its ``older`` column, so that nothing
unchanged is written twice and an article that never changes costs no copy at all.

Ids come from ``counters`` and are never used again: the full-text index and the outbox refer to them.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

counters = Table(
    "counters", metadata, Column("name", Text, primary_key=True), Column("value", BigInteger, nullable=False)
)

texts = Table(
    "texts",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary(16), nullable=False, unique=True),  # BLAKE2b of the body
    Column("body", Text, nullable=False),
    Column("html", LargeBinary),  # zlib
)

articles = Table(
    "articles",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("page_key", BigInteger, nullable=False, unique=True),
    Column("version", Integer, nullable=False),
    Column("version_id", BigInteger, nullable=False, unique=True),
    Column("text_id", BigInteger, ForeignKey("texts.id"), nullable=False, index=True),
    Column("content_hash", BigInteger, nullable=False),
    Column("event", Text, nullable=False),
    Column("first_archived_at", Float, nullable=False),
    Column("archived_at", Float, nullable=False, index=True),
    Column("dated_at", Float, nullable=False, index=True),  # published_at, else first_archived_at
    Column("withdrawn_at", Float),
    Column("fetched_at", Float, nullable=False),
    Column("url", Text, nullable=False, index=True),
    Column("canonical_url", Text, nullable=False),
    Column("job", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("authors", JSON, nullable=False),
    Column("published", Text),
    Column("published_at", Float),
    Column("modified_at", Float),
    Column("language", Text),
    Column("source", Text),
    Column("images", JSON, nullable=False),
    Column("lead_image", Text),
    Column("keywords", JSON, nullable=False),
    Column("summary", Text, nullable=False),
    Column("media", JSON, nullable=False),
    Column("parent_url", Text),
    Column("anchor", Text, nullable=False),
    Column("extractor", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("category", Text),
    Column("categories", JSON, nullable=False),
    Column("relevance", Float),
    Column("cluster", Text, index=True),
    Column("cluster_role", Text, nullable=False),
    Column("usage", JSON(none_as_null=True)),  # what its site asks of those who use it; none: not known
    Column("sinks", JSON(none_as_null=True)),  # those that its job names; none: all
)

# "The newest of a site, job or category" is what lists of articles ask for.
for _name in ("category", "job", "site"):
    Index(f"ix_articles_{_name}_dated_at", articles.c[_name], articles.c.dated_at)

versions = Table(
    "versions",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("article_id", BigInteger, ForeignKey("articles.id", ondelete="CASCADE"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("text_id", BigInteger, ForeignKey("texts.id"), nullable=False, index=True),
    Column("content_hash", BigInteger, nullable=False),
    Column("fingerprint", BigInteger, nullable=False),
    Column("fingerprint_version", SmallInteger, nullable=False),
    Column("distance", SmallInteger),
    Column("fetched_at", Float, nullable=False),
    Column("archived_at", Float, nullable=False, index=True),
    Column("older", JSON(none_as_null=True)),  # fields as they were, where the next version has them otherwise
    UniqueConstraint("article_id", "version"),
)

# Articles that retention has removed: their pages may still be visited, and are not to be archived as new.
removed = Table(
    "removed",
    metadata,
    Column("page_key", BigInteger, primary_key=True, autoincrement=False),
    Column("content_hash", BigInteger, nullable=False),
    Column("removed_at", Float, nullable=False),
    Column("met_at", Float, nullable=False, index=True),  # when its page was last read, else removed_at
)

raw_pages = Table(
    "raw_pages",
    metadata,
    Column("version_id", ForeignKey("versions.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("file", Text, nullable=False, index=True),
    Column("offset", BigInteger, nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("content_type", Text),
    Column("fetched_at", Float, nullable=False),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("sink", Text, nullable=False),
    Column("article_id", BigInteger, ForeignKey("articles.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("version_id", BigInteger, ForeignKey("versions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("state", Text, nullable=False, server_default=text("'pending'")),  # pending, dead
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("created_at", Float, nullable=False),
    Column("next_at", Float, nullable=False),
    Column("error", Text),
)
Index("ix_outbox_sink_state_id", outbox.c.sink, outbox.c.state, outbox.c.id)

sinks = Table(
    "sinks",
    metadata,
    Column("name", Text, primary_key=True),
    Column("owner", Text),
    Column("lease_until", Float, nullable=False, server_default=text("0")),
    Column("retry_at", Float, nullable=False, server_default=text("0")),
    Column("failures", Integer, nullable=False, server_default=text("0")),
    Column("delivered", BigInteger, nullable=False, server_default=text("0")),
    Column("delivered_at", Float),
    Column("error", Text),
)

# What is learned of sites, where several machines share the database (``archive.shelf``).
wrappers = Table(
    "wrappers",
    metadata,
    Column("site", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("rules", Text, nullable=False),
)

site_notes = Table(
    "site_notes",
    metadata,
    Column("site", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)

sample_pages = Table(
    "sample_pages",
    metadata,
    Column("site", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),  # of a site's pages, the greatest is the newest
    Column("page", LargeBinary, nullable=False),  # gzip
)

# What each visit of an entry page gained (``archive.rounds``).
rounds = Table(
    "rounds",
    metadata,
    Column("at", Float, nullable=False, index=True),
    Column("job", Text, nullable=False),
    Column("fetched", Integer, nullable=False),
    Column("new_items", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("page", BigInteger, nullable=False),
)
