"""The referee process: hosts matches, knows no database."""
