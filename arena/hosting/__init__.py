"""Starts bots in sandboxes and referees to go with them."""
