"""The database: tables, migrations and the repository.

Nothing outside this package sees a database type: the repository takes and returns plain values and records.
"""

from arena.store.engine import Store, migrate, open_store

__all__ = ["Store", "migrate", "open_store"]
