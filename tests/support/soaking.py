"""Looks at the processes of a site that live as long as it does."""

from arenasite import Site

from arena.bench import steady

STEADY = ("api", "broker", "dispatcher", "referee", "web", "worker")
"""Roles whose processes live as long as the arena; bots come and go."""


def look(site: Site, at_s: float) -> list[steady.Sample]:
    """Look at every process that stays."""
    found = {f"{role} {number}": process for role in STEADY for number, process in enumerate(site.find(role), 1)}
    return steady.look(found, at_s)
