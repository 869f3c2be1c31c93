"""The database: tables, migrations and the repository."""
