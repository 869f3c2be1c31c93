"""Runs other people's bots: sandbox, start, output caps, and a referee to go with them; no database, no Celery."""
