"""Alembic's scripts for the archive's schema."""
