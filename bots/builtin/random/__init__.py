"""Random: the bot that every other one should beat."""
