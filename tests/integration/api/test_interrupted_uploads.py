"""Whoever breaks off an upload, and wherever: nothing of it is stored, and sending it again works."""

import os
import random
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from threading import Thread

import pytest
from cutting import Cutter
from sqlalchemy import func, select

from arena.cli.client import Session, submit_folder
from arena.cli.packing import pack
from arena.cli.places import Door
from arena.core.errors import ArenaError, LimitReached
from arena.store.tables import archives, bots, versions

SUBMIT = [sys.executable, "-c", "from arena.cli.main import main; main()", "submit"]


def stored(arena):
    """How many rows there are of everything that a submission makes."""
    with arena.store.read() as tx:
        return [tx.scalar(select(func.count()).select_from(table)) for table in (archives, bots, versions)]


@pytest.fixture
def folder(arena):
    made = arena.bot_folder("ann")
    (made / "weights.bin").write_bytes(random.Random(7).randbytes(150_000))
    return made


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.5, 0.99])
def test_a_connection_cut_on_the_way_leaves_nothing(arena, folder, share):
    size = len(pack(folder).archive)
    with Cutter(arena.address, round(share * size)) as line, Session(Door(line.address, arena.admin)) as session:
        with pytest.raises(ArenaError) as caught:
            submit_folder(session, folder)
        assert caught.value.code in ({"CONNECTION_BROKEN"} if share else {"CONNECTION_BROKEN", "NO_SERVER"})
    assert stored(arena) == [0, 0, 0]
    assert submit_folder(arena.session(), folder).created
    assert stored(arena) == [1, 1, 1]


@pytest.mark.parametrize("share", [0.01, 0.9])
def test_a_killed_client_leaves_nothing(arena, folder, share):
    size = len(pack(folder).archive)
    with Cutter(arena.address, round(share * size), hold=True) as line:
        environment = os.environ | {"ARENA_SERVER": line.address, "ARENA_TOKEN": arena.admin}
        client = subprocess.Popen([*SUBMIT, str(folder)], env=environment, stderr=subprocess.DEVNULL)
        assert line.reached.wait(20)
        client.kill()
        client.wait()
    assert stored(arena) == [0, 0, 0]
    assert submit_folder(arena.session(), folder).created


def test_an_interrupt_while_it_is_sent_says_that_nothing_was_stored_and_how_to_send_it_again(arena, folder):
    with Cutter(arena.address, 75_000, hold=True) as line:
        environment = os.environ | {"ARENA_SERVER": line.address, "ARENA_TOKEN": arena.admin}
        client = subprocess.Popen([*SUBMIT, str(folder)], env=environment, stderr=subprocess.PIPE, text=True)
        with client:
            assert line.reached.wait(20)
            client.send_signal(signal.SIGINT)
            _, err = client.communicate(timeout=20)
    assert (client.returncode, err) == (130, f"nothing was stored; send it again with `arena submit {folder}`\n")
    assert stored(arena) == [0, 0, 0]


def test_an_answer_that_is_lost_does_no_harm(arena, folder):
    first = submit_folder(arena.session(), folder)
    again = submit_folder(arena.session(), folder)
    assert (again.created, again.version) == (False, first.version)
    assert stored(arena) == [1, 1, 1]


def test_an_account_sends_two_archives_at_once_and_no_more(arena, folder):
    with ExitStack() as stack:
        for _ in range(2):
            line = stack.enter_context(Cutter(arena.address, 75_000, hold=True))
            slow = stack.enter_context(Session(Door(line.address, arena.admin)))
            stack.callback(line.cut)
            Thread(target=sent_in_vain, args=(slow, folder)).start()
            assert line.reached.wait(20)
        with pytest.raises(ArenaError) as caught:
            submit_folder(arena.session(), folder)
        assert caught.value.code == "TOO_MANY_UPLOADS"
        assert submit_folder(arena.author("bob"), arena.bot_folder("bobs")).created
    assert until_free(arena, folder).created


def sent_in_vain(session, folder):
    with suppress(ArenaError):
        submit_folder(session, folder)


def until_free(arena, folder):
    """Submit as soon as the server has noticed that the two lines are gone."""
    while True:
        try:
            return submit_folder(arena.session(), folder)
        except LimitReached:
            continue
