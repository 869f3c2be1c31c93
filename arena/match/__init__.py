"""One match without I/O: the match itself, clock, log, replay and local play."""
