"""Migrations of the schema, run by arena.store.engine.migrate."""
