"""A desk of the lobby with versions that wait at it, on the database alone."""

from datetime import timedelta

from arena.services import dispatch, lobby
from arena.services.lobby import BEAT
from arena.store.states import Queue

MANIFEST = 'name = "{}"\ngames = ["*"]\n'
SESSION = "0123456789abcdef"
SECOND = timedelta(seconds=1)


class Hall:
    """A desk, and versions that wait there; every call is the world's own time."""

    def __init__(self, world):
        self.world = world
        self.desk = lobby.open_desk(world.store, world.now)

    def register(self, name, caller=None, sha="a"):
        return lobby.register(
            self.world.store, caller or self.world.admin, MANIFEST.format(name), sha * 64, self.world.now
        ).version

    def enter(self, bot, places=1, *, stream="", session=SESSION, caller=None, **rest):
        return lobby.enter(
            self.world.store, caller or self.world.admin, self.world.now,
            desk=self.desk, stream=stream or f"stream of {bot}", session=session, bot=bot, version=1, places=places,
            **rest,
        )  # fmt: skip

    def queued(self):
        return dispatch.count_queued(self.world.store, self.world.now, Queue.REMOTE)

    def claim(self):
        return dispatch.claim(self.world.store, "w", self.world.now, Queue.REMOTE)

    def called(self):
        """What a look finds that is to be told."""
        return list(lobby.look(self.world.store, self.desk).calls)

    def open_seats(self, claim, address="arena:7443"):
        for leg in claim.legs:
            for seat, one in enumerate(leg.seats):
                if one.remote:
                    lobby.open_seat(
                        self.world.store, claim.block_id, claim.attempt, leg.match_id, seat,
                        address=address, ticket=f"ticket {leg.match_id}.{seat}.{claim.attempt}",
                    )  # fmt: skip

    def wait(self, span, *, beating=True):
        """Let time pass; the desk beats meanwhile, or not."""
        until = self.world.now + span
        while beating and self.world.now + BEAT < until:
            self.world.now += BEAT
            assert lobby.beat(self.world.store, self.desk, self.world.now)
        self.world.now = until
