"""What a bot can see and do inside its sandbox."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from arena.core.errors import Unavailable
from arena.hosting.cgroups import ControlGroups
from arena.hosting.programs import can_lay_over, interpreter_home
from arena.hosting.sandbox import Limits
from arena.hosting.uids import FIRST_UID, LAST_UID

RunBot = Callable[..., Awaitable[Any]]
REPOSITORY = Path(__file__).resolve().parents[3]


async def test_a_bot_runs_and_its_exit_status_comes_back(run_bot: RunBot) -> None:
    ran = await run_bot("print('hello'); raise SystemExit(7)")
    assert (ran.status, ran.text) == (7, "hello\n")


async def test_a_bot_killed_by_a_signal_has_a_negative_status(run_bot: RunBot) -> None:
    ran = await run_bot("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert ran.status == -11


async def test_the_sdk_the_games_and_numpy_can_be_imported(run_bot: RunBot) -> None:
    ran = await run_bot("import grpc, numpy, bots.sdk\nfrom arena.core.registry import game_ids\nprint(*game_ids())")
    assert ran.status == 0, ran.text
    assert "first-snow" in ran.text.split()


async def test_games_installed_from_elsewhere_can_be_loaded(run_bot: RunBot) -> None:
    ran = await run_bot(
        "from arena.core.registry import game_ids, load_game\nfor name in game_ids(): print(load_game(name).spec.id)"
    )
    assert ran.status == 0, ran.text
    assert "icefall" in ran.text.split()


async def test_the_evaluators_of_the_built_in_bots_can_be_used(run_bot: RunBot) -> None:
    ran = await run_bot(
        "from arena.core.registry import load_game\n"
        "from bots.builtin.greedy.bot import find_evaluator\n"
        "print(find_evaluator(load_game('first-snow')).__module__)"
    )
    assert ran.status == 0, ran.text
    assert ran.text.split() == ["greedy_first_snow"]


@pytest.mark.parametrize("package", ["arena.store", "arena.hosting", "arena.match", "referee", "worker"])
async def test_the_rest_of_the_project_cannot_be_imported(run_bot: RunBot, package: str) -> None:
    ran = await run_bot(f"import {package}")
    assert ran.status == 1
    assert "ModuleNotFoundError" in ran.text


async def test_no_file_of_this_machine_outside_the_allowed_folders_is_visible(run_bot: RunBot, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    places = [
        str(secret),
        str(tmp_path),
        str(REPOSITORY / "pyproject.toml"),
        "/etc/passwd",
        "/etc/hostname",
        "/var",
        "/sys",
    ]
    ran = await run_bot(f"import os\nprint([place for place in {places!r} if os.path.exists(place)])")
    assert ran.text.strip() == "[]"


async def test_the_root_folder_lists_nothing_but_what_was_put_there(run_bot: RunBot) -> None:
    ran = await run_bot("import os\nprint(*sorted(os.listdir('/')))")
    interpreter_top = interpreter_home().parts[1]
    allowed = {"bin", "bot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "nix", "proc", "run", "sbin"}
    assert set(ran.text.split()) <= allowed | {"tmp", "usr", "whiteout", interpreter_top}


async def test_other_processes_are_invisible(run_bot: RunBot) -> None:
    ran = await run_bot("import os\nprint(*(name for name in os.listdir('/proc') if name.isdigit()))")
    assert ran.text.split() == ["1", "2"]


async def test_a_bot_has_no_network(run_bot: RunBot) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = await run_bot(
            "import socket, sys\n"
            f"for where in (('127.0.0.1', {port}), ('1.1.1.1', 53)):\n"
            "    try:\n        socket.create_connection(where, 2)\n        print('connected')\n"
            "    except OSError as error:\n        print(error.strerror)\n"
        )
    assert ran.text.splitlines() == ["Address family not supported by protocol"] * 2


async def test_abstract_sockets_of_this_machine_cannot_be_reached(run_bot: RunBot) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0whiteout/test/abstract")
        server.listen()
        ran = await run_bot("import socket\nsocket.socket(socket.AF_UNIX).connect('\\0whiteout/test/abstract')")
    assert "ConnectionRefusedError" in ran.text


async def test_its_only_door_is_the_socket_it_was_given(run_bot: RunBot, tmp_path: Path) -> None:
    path = tmp_path / "door.sock"
    (tmp_path / "other.sock").touch()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        path.chmod(0o666)
        server.listen()
        ran = await run_bot(
            "import os, socket\nprint(os.environ['WHITEOUT_ADDRESS'])\nprint(os.listdir('/run/whiteout'))\n"
            "socket.socket(socket.AF_UNIX).connect('/run/whiteout/bots.sock')",
            socket=path,
        )
    assert ran.status == 0, ran.text
    assert ran.text.splitlines() == ["unix:/run/whiteout/bots.sock", "['bots.sock']"]


async def test_the_environment_is_small_and_carries_nothing_over(
    run_bot: RunBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHITEOUT_SECRET", "secret")
    ran = await run_bot("import os\nprint(*sorted(os.environ))")
    assert ran.text.split() == [
        "HOME", "LANG", "OPENBLAS_NUM_THREADS", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED",
        "PYTHONNOUSERSITE", "PYTHONPATH", "PYTHONUNBUFFERED",
    ]  # fmt: skip


async def test_no_descriptor_of_the_arena_is_inherited(run_bot: RunBot) -> None:
    ran = await run_bot("import os\nprint(*sorted(os.listdir('/proc/self/fd')))")
    assert ran.text.split() == ["0", "1", "2", "3"]  # 3 is the listing itself


async def test_a_bot_has_no_privileges_and_cannot_gain_any(run_bot: RunBot) -> None:
    ran = await run_bot(
        "import ctypes, os\n"
        "status = {name: rest.strip() for name, rest in (line.split(':', 1) for line in open('/proc/self/status'))}\n"
        "print(os.getuid(), status['CapEff'], status['CapPrm'], status['CapBnd'], status['NoNewPrivs'])\n"
        "print(ctypes.CDLL(None).unshare(0x10000000), ctypes.CDLL(None).unshare(0x00020000))"
    )
    none = "0" * 16
    assert ran.text.splitlines() == [f"1000 {none} {none} {none} 1", "-1 -1"]


async def test_bots_of_root_run_under_an_id_of_the_pool_and_a_users_bots_under_his_own(run_bot: RunBot) -> None:
    ran = await run_bot("print(next(line for line in open('/proc/self/mountinfo') if ' /home/bot ' in line))")
    uid = int(ran.text.split("uid=")[1].split(",")[0])
    assert uid in (range(FIRST_UID, LAST_UID + 1) if os.geteuid() == 0 else {os.geteuid()})


@pytest.mark.parametrize(
    "place", ["/", "/bot", "/usr/bin", "/whiteout/lib", "/dev", "/run", "/etc", "/home", "/whiteout/site/0"]
)
async def test_nothing_but_the_scratch_folders_can_be_written(run_bot: RunBot, place: str) -> None:
    ran = await run_bot(f"open({place!r} + '/new', 'w')", socket=None)
    assert ran.status == 1
    assert "Read-only file system" in ran.text or "Permission denied" in ran.text or "No such file" in ran.text


@pytest.mark.parametrize("place", ["/tmp", "/home/bot", "/dev/shm"])
async def test_a_scratch_folder_ends_at_its_size(run_bot: RunBot, place: str) -> None:
    ran = await run_bot(
        f"try:\n    for number in range(8):\n        open({place!r} + f'/{{number}}', 'wb').write(bytes(1 << 20))\n"
        "except OSError as error:\n    print(error.strerror)",
        limits=Limits(disk_mb=4),
    )
    assert ran.text == "No space left on device\n"


async def test_every_start_finds_an_empty_disk(run_bot: RunBot) -> None:
    source = "import os\nprint(os.listdir('/tmp'), os.listdir(os.environ['HOME']))\nopen('/tmp/left', 'w').write('x')"
    assert [(await run_bot(source)).text for _ in range(2)] == ["[] []\n"] * 2


async def test_a_file_ends_at_its_size(run_bot: RunBot) -> None:
    ran = await run_bot(
        "try:\n    open('/tmp/big', 'wb').write(bytes(3 << 20))\nexcept OSError as error:\n    print(error.strerror)",
        limits=Limits(file_mb=1),
    )
    assert ran.text == "File too large\n"


async def test_a_fork_bomb_ends_at_the_limit(run_bot: RunBot) -> None:
    ran = await run_bot(
        "import os, time\ncount = 0\ntry:\n    while os.fork(): count += 1\n    time.sleep(60)\n"
        "except OSError as error:\n    print(count, error.strerror)",
        limits=Limits(processes=20),
    )
    assert ran.text.split(maxsplit=1)[1] == "Resource temporarily unavailable\n"
    assert int(ran.text.split()[0]) < 20


async def test_the_limit_of_processes_holds_without_a_control_group_and_for_what_a_bot_starts(run_bot: RunBot) -> None:
    ran = await run_bot(
        "import os, time\nif os.fork(): os.wait(); raise SystemExit\ncount = 0\n"
        "try:\n    while os.fork(): count += 1\n    time.sleep(60)\n"
        "except OSError as error:\n    print(count, error.strerror, flush=True); os.kill(-1, 9)",
        limits=Limits(processes=20),
        groups=ControlGroups.none(),
    )
    assert ran.text == "17 Resource temporarily unavailable\n"


async def test_a_child_of_a_bot_has_all_its_limits(run_bot: RunBot) -> None:
    ran = await run_bot(
        "import os\nif os.fork(): os.wait(); raise SystemExit\nprint(open('/proc/self/limits').read())",
        limits=Limits(processes=21, open_files=60, file_mb=3, data_mb=200, cpu_s=77),
    )
    rows = {line[:26].strip(): line[26:].split()[:2] for line in ran.text.splitlines()[1:] if line}
    expected = {
        "Max cpu time": 77, "Max file size": 3 << 20, "Max data size": 200 << 20, "Max core file size": 0,
        "Max processes": 21, "Max open files": 60, "Max locked memory": 1 << 20, "Max pending signals": 1024,
    }  # fmt: skip
    assert {name: rows[name] for name in expected} == {name: [str(most)] * 2 for name, most in expected.items()}


async def test_where_the_arena_is_allowed_less_a_bot_is_too(bot_folder: Path) -> None:
    (bot_folder / "bot.py").write_text("import resource\nprint(resource.getrlimit(resource.RLIMIT_MEMLOCK))")
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom arena.hosting.launch import launch\n"
        "from arena.hosting.sandbox import BotProgram\n"
        "async def run():\n    bot = await launch(BotProgram(Path(sys.argv[1]), ('python', 'bot.py')))\n"
        "    print(await bot.wait(), bot.output.text.strip())\nasyncio.run(run())"
    )
    words = ["prlimit", "--memlock=65536:65536", "--", sys.executable, "-c", program, str(bot_folder)]
    done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "0 (65536, 65536)\n", done.stderr


async def test_a_sandbox_that_cannot_be_limited_runs_nothing(run_bot: RunBot) -> None:
    before = (os.getresuid(), os.getresgid())
    with pytest.raises(Unavailable, match=r"^a bot cannot be limited here, RLIMIT_CPU to 1180591620717411303424: .*$"):
        await run_bot("print('here')", limits=Limits(cpu_s=1 << 70))  # some limits are set before, some not
    assert (os.getresuid(), os.getresgid()) == before


async def test_open_files_end_at_the_limit(run_bot: RunBot) -> None:
    ran = await run_bot("kept = [open('/dev/null') for _ in range(100)]", limits=Limits(open_files=50))
    assert "Too many open files" in ran.text


async def test_memory_of_one_process_ends_at_the_limit(run_bot: RunBot) -> None:
    ran = await run_bot("bytearray(400 << 20)", limits=Limits(data_mb=200))
    assert "MemoryError" in ran.text


async def test_cpu_time_ends_at_the_limit(run_bot: RunBot) -> None:
    ran = await run_bot("while True: pass", limits=Limits(cpu_s=1))
    assert ran.status in {-9, -24}


async def test_a_bot_folder_closed_to_others_can_be_played(run_bot: RunBot, bot_folder: Path) -> None:
    knowledge = bot_folder / "knowledge.txt"
    knowledge.write_text("snow")
    os.mkfifo(bot_folder / "pipe")
    for path, mode in ((knowledge, 0o600), (bot_folder, 0o700)):
        path.chmod(mode)
    ran = await run_bot("print(open('knowledge.txt').read())")
    assert ran.text == "snow\n"


async def test_strings_hash_alike_in_every_start_so_that_a_bot_can_be_reproduced(run_bot: RunBot) -> None:
    assert len({(await run_bot("print(hash('snow'))")).text for _ in range(2)}) == 1


async def test_the_list_of_mounts_tells_where_the_project_lies_to_an_ordinary_users_bots_only(
    run_bot: RunBot, bot_folder: Path
) -> None:
    ran = await run_bot("print(open('/proc/self/mountinfo').read())")
    assert ran.status == 0
    hidden = os.geteuid() == 0 and can_lay_over()
    for place in (REPOSITORY, bot_folder):
        assert (str(place) in ran.text) is not hidden


async def test_a_bot_has_no_terminals_that_it_could_share_with_others(run_bot: RunBot) -> None:
    ran = await run_bot(
        "import os\n"
        "print(os.listdir('/dev/pts'))\n"
        "try:\n    os.openpty()\nexcept OSError as error:\n    print('none')\n"
        "open('/dev/null', 'w').write('snow')\n"
        "print(len(os.urandom(4)), open('/dev/urandom', 'rb').read(1) != b'')\n"
        "try:\n    open('/dev/shared', 'w')\nexcept OSError as error:\n    print(error.strerror)\n"
    )
    assert ran.text.splitlines() == ["[]", "none", "4 True", "Read-only file system"]
