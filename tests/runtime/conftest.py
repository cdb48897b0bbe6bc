"""The database of those tests that want a shared one."""

from tests.archive.conftest import postgresql_server, postgresql_url

__all__ = ["postgresql_server", "postgresql_url"]
