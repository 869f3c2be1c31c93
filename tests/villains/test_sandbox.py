"""Attacks on the sandbox: every probe of `arena doctor --attack`, by root and user, with control groups and without."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from ordinary import as_ordinary_user

import arena
from arena.hosting import launch as launching
from arena.hosting.attack import PROBES, attack, bait, run_probe
from arena.hosting.cgroups import ControlGroups
from arena.hosting.launch import launch
from arena.hosting.programs import interpreter_home
from arena.hosting.sandbox import Limits

REPOSITORY = Path(arena.__file__).resolve().parents[1]
BOMBS = {"kernel", "forks", "memory", "shared", "page tables", "disk", "files in /tmp", "files in /dev/shm"}
SAME_FOR_ALL = {"spinning", "flood", "descriptors", "files in /dev/shm"}
"""Whoever the arena is, the same limits of a process and the same reader answer these."""
ATTACK = """
import asyncio, json, sys
from functools import partial
from arena.hosting.attack import PROBES, attack
from arena.hosting.cgroups import ControlGroups
from arena.hosting.launch import launch

async def run():
    probes = [probe for probe in PROBES if probe.name not in sys.argv]
    return {each.name: each.through async for each in attack(partial(launch, groups=ControlGroups.none()), probes)}

print(json.dumps(asyncio.run(run())))
"""


async def test_no_probe_gets_through():
    findings = {finding.name: finding.through async for finding in attack()}
    assert {name: through for name, through in findings.items() if through} == {}
    assert len(findings) == len(PROBES) + 2


async def test_no_bomb_gets_through_where_there_are_no_control_groups():
    bombs = [each for each in PROBES if each.name in BOMBS]
    findings = {each.name: each.through async for each in attack(partial(launch, groups=ControlGroups.none()), bombs)}
    assert {name: through for name, through in findings.items() if through} == {}
    assert len(findings) == len(BOMBS) + 2


def test_no_probe_gets_through_where_the_arena_is_an_ordinary_user():
    command = as_ordinary_user([sys.executable, "-c", ATTACK, *SAME_FOR_ALL], [interpreter_home(), REPOSITORY])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    assert {name: through for name, through in findings.items() if through} == {}
    assert len(findings) == len(PROBES) - len(SAME_FOR_ALL) + 2


def without(*words):
    """Return a builder of sandboxes that leaves out some of bubblewrap's options."""
    real = launching.sandbox_command

    def weak_command(*arguments, **named):
        command = real(*arguments, **named)
        for word in words:
            while word in command:
                at = command.index(word)
                del command[at : at + (2 if word in {"--seccomp", "--remount-ro"} else 1)]
        return command

    return weak_command


@pytest.mark.parametrize(
    ("left_out", "probe", "what"),
    [
        (["--seccomp"], "network", "a socket of family 16"),
        (["--seccomp"], "kernel", "io_uring_setup"),
        (["--seccomp", "--unshare-net"], "network", "came to ('127.0.0.1'"),
        (["--seccomp", "--disable-userns"], "namespaces", "unshare 0x10000000"),
        (["--remount-ro"], "writing", "a new file in /"),
    ],
)
async def test_a_sandbox_that_lacks_something_is_found_out(left_out, probe, what, monkeypatch):
    monkeypatch.setattr(launching, "sandbox_command", without(*left_out))
    with bait() as lying_about:
        through = [*await run_probe(named(probe), lying_about.facts, launch), *lying_about.disturbed()]
    assert any(what in line for line in through), through


MORE = Limits(memory_mb=2048, processes=200, disk_mb=64, files=10**6, open_files=500)


@pytest.mark.parametrize("probe", ["forks", "memory", "disk", "files in /tmp", "descriptors"])
async def test_a_limit_that_is_too_high_is_found_out(probe):
    with bait() as lying_about:
        facts = {**named(probe).facts, "many": 20_000}
        through = await run_probe(replace(named(probe), limits=MORE, facts=facts), lying_about.facts, launch)
    assert through


def named(name):
    (probe,) = [each for each in PROBES if each.name == name]
    return probe


def test_doctor_attack_exits_with_one_when_something_gets_through():
    weak = (
        "import arena.hosting.attack as a, arena.hosting.launch as l\n"
        "a.PROBES = tuple(each for each in a.PROBES if each.name == 'kernel')\n"
        "real = l.sandbox_command\n"
        "def command(*words, **more):\n"
        "    made = real(*words, **more)\n"
        "    del made[made.index('--seccomp') : made.index('--seccomp') + 2]\n"
        "    return made\n"
        "l.sandbox_command = command\n"
        "from arena.cli.main import main\nmain()\n"
    )
    command = [sys.executable, "-c", weak, "doctor", "--attack"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    assert "THROUGH  kernel" in done.stdout
    assert "held     leftovers" in done.stdout
