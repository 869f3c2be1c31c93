"""Chaos drills: whatever is killed, forgotten, away or full, every match is played once and nothing is left over.

A failing drill prints its plan; `pytest tests/chaos/test_drills.py --drill-seed N` carries that one out again.
"""

from __future__ import annotations

import difflib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import psutil
import pytest
from arenasite import ARENA, Machine, Servers, Site, until
from cup import NAME, Cup, outcome
from drill import Drill
from faults import EVERYWHERE, Fault, Kind, plan
from smalldisk import small_disk

from arena.store import migrate, open_store, sqlite_url

SHORT = (97, 86, 31)
"""Seeds whose plans have every kind of fault between them."""

LONG = range(1000, 1100)
"""Seeds from 1000 on are of drills with more faults."""

DYING_S = 3
"""How long a process may take to be gone that was killed by the end of the one before it."""

DEALS = 3
"""Of six matches each."""

FAULTS = {False: (4, 12), True: (8, 18)}
"""How many faults a short drill and a long one have, and before which match they come: a short one's have all to find
something to meet, also where the tournament has gone on while others passed.
"""

pytestmark = pytest.mark.timeout(900)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give the drills their seeds: the one that was asked for, or all."""
    if "seed" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--drill-seed")
        long = [pytest.param(seed, marks=pytest.mark.long) for seed in LONG]
        metafunc.parametrize("seed", [*SHORT, *long] if asked is None else [asked])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cup, dict[str, bytes]]:
    """The tournament, and what it comes to when nothing happens."""
    cup = Cup(tmp_path_factory.mktemp("bots"), DEALS)
    url = sqlite_url(tmp_path_factory.mktemp("undisturbed"))
    migrate(url)
    with closing(open_store(url)) as store:
        cup.make(store)
        cup.play(store)
        return cup, outcome(store)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a path short enough for sockets, on a disk of its own where that can be had."""
    with tempfile.TemporaryDirectory(prefix="drill-") as folder, small_disk(Path(folder)):
        yield Path(folder)


def faults_of(seed: int) -> tuple[Fault, ...]:
    faults, before = FAULTS[seed >= LONG.start]
    return plan(seed, tuple(Kind) if site_of(seed) is Machine else EVERYWHERE, before, faults)


def site_of(seed: int) -> type[Site]:
    return Machine if seed % 2 else Servers


def test_the_short_drills_have_every_kind_of_fault() -> None:
    assert {fault.kind for seed in SHORT for fault in faults_of(seed)} == set(Kind)


def test_a_disturbed_tournament_comes_to_what_an_undisturbed_one_does(seed: int, place: Path, played) -> None:
    cup, undisturbed = played
    faults = faults_of(seed)
    print(f"--drill-seed {seed}:", *faults, sep="\n  ")
    began = time.monotonic()
    with ExitStack() as stack:
        site = site_of(seed)(place, 2)
        stack.callback(site.close)
        store = open_store(site.url)
        stack.callback(store.close)
        token = cup.make(store)
        site.admit(token)
        site.start()
        drill = Drill(site, store, cup)
        try:
            drill.run(faults)
            assert differences(undisturbed, outcome(store)) == []
            assert drill.missed == [] or seed not in SHORT
            until(lambda: serves(site, token), 60, "the api answers", site)
            assert site.stop() == 0
            assert lingering(site) == []
            assert site.left() == []
        finally:
            print(f"what was done in {time.monotonic() - began:.1f} s:", *drill.told, sep="\n  ")
            print(site.said())


def lingering(site: Site) -> list[str]:
    """Return what of the site's processes is still there when those that were dying have had a moment to do so."""
    until_s = time.monotonic() + DYING_S
    while (alive := site.alive()) and time.monotonic() < until_s:
        psutil.wait_procs(alive, timeout=0.1)
    found = []
    for one in alive:
        with suppress(psutil.NoSuchProcess):
            found.append(f"{one.pid} of {one.ppid()}, {one.status()}: {one.cmdline()}")
    return found


def differences(expected: dict[str, bytes], found: dict[str, bytes]) -> list[str]:
    """Return the lines that are in one outcome and not in the other."""
    return [
        f"{name}: {line}"
        for name in sorted(expected.keys() | found.keys())
        for line in difflib.unified_diff(
            expected.get(name, b"").decode().splitlines(), found.get(name, b"").decode().splitlines(), n=0, lineterm=""
        )
    ]


def serves(site: Site, token: str) -> bool:
    """Whether the api answers, also after all this."""
    command = [*ARENA, "tournament", "list", "--server", site.address()]
    environment = {**site.environment, "ARENA_TOKEN": token}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return NAME in done.stdout
