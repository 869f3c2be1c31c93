"""What goes on beside matches goes on after a fault that nobody foresaw, and says so."""

import threading
from datetime import timedelta

from faultystore import FaultyStore

import worker.dispatcher
from arena.hosting.matches import Progress
from arena.services import presence
from arena.store.states import Queue
from arena.telemetry.figures import QueueFigures, new_registry
from worker.app import make_app
from worker.live import Herald
from worker.presence import Presence

SOON_S = 20.0


def test_a_worker_goes_on_saying_that_it_is_there(world, monkeypatch, caplog) -> None:
    monkeypatch.setattr(presence, "SEEN_EVERY", timedelta(milliseconds=10))
    store = FaultyStore(world.store)
    there = Presence(store, "w", (Queue.HOSTED,), lambda: world.now)
    store.fail(2)
    there.start()
    assert store.failed.wait(SOON_S)
    store.fail(1)
    assert store.failed.wait(SOON_S)  # it has asked again
    there.close()
    assert "could not say that this worker is there" in caplog.text


def test_the_dispatcher_goes_on_rests_and_counts_it(world, monkeypatch, caplog, tmp_path) -> None:
    monkeypatch.setattr(worker.dispatcher, "FAULT_S", 0.01)
    monkeypatch.setattr(worker.dispatcher, "PERIOD_S", 0.01)
    store, stop, registry = FaultyStore(world.store), threading.Event(), new_registry()
    app = make_app(f"redis+socket://{tmp_path}/missing.sock")
    store.fail(3)
    thread = threading.Thread(
        target=worker.dispatcher.run,
        args=(store, app, lambda: world.now, stop),
        kwargs={"figures": QueueFigures(registry)},
    )
    thread.start()
    try:
        assert store.failed.wait(SOON_S)
        assert thread.is_alive()
    finally:
        stop.set()
        thread.join(SOON_S)
        app.close()
    assert "a step failed" in caplog.text


def test_an_update_that_cannot_be_sent_costs_no_other(caplog) -> None:
    herald = Herald("no address of a broker")
    for ply in range(3):
        herald.show(1)(Progress(ply, None, 0))
    herald.start()
    herald.close()
    assert caplog.text.count("live update dropped") == 3
