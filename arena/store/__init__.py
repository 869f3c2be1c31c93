"""The database: tables, migrations and the repository.

Nothing outside this package sees a database type: the repository takes and returns plain values and records.
"""

from arena.store.engine import Store, Transaction, migrate, open_store, sqlite_url

__all__ = ["Store", "Transaction", "migrate", "open_store", "sqlite_url"]
