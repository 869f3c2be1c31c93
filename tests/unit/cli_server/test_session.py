"""How a session with a server ends."""

import threading

import pytest

from arena.cli.client import Session
from arena.cli.places import Door
from arena.v1 import bot_pb2


class NeverClosing(Session):
    """What gRPC does after an interrupt at the wrong moment: closing never returns."""

    def __init__(self, released: threading.Event) -> None:
        super().__init__(Door("127.0.0.1:1", "token"))
        self.released = released

    def close(self) -> None:
        self.released.wait()
        super().close()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.timeout(30)
def test_an_interrupted_command_does_not_wait_for_ever_for_its_channel_to_close(stop):
    released = threading.Event()
    with pytest.raises(stop), NeverClosing(released):
        raise stop
    released.set()


def test_a_session_is_closed_at_the_end_of_its_block():
    with Session(Door("127.0.0.1:1", "token")) as session:
        pass
    with pytest.raises(ValueError, match="closed channel"):
        session.bots.GetBot(bot_pb2.GetBotRequest())
