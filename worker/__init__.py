"""The Celery worker: claims blocks, has them hosted, records results."""
