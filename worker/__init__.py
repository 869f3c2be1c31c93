"""Workers: claim blocks, have their matches hosted, record the results. A Celery message is only a doorbell."""
