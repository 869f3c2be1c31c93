"""Plays for a program that reads one JSON line a turn and writes one: `python -m bots.sdk.bridge -- COMMAND...`.

The arena starts it for every bot whose bot.toml says `language = "stdio"`. The program reads its standard input: a line
of type "start", then for every turn a line of type "turn", to which it answers {"action": INDEX}, then one of type
"game_over"; then its input ends, and so should it. What it prints on its standard error is the author's own.

Exit codes: 0 the match is over; 1 the program failed, or ended with another status than 0; 2 usage; 3 the referee
refused the bot; 4 the referee could not be reached or is gone. The program never outlives its bridge, and the bridge
ends when the program does.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from arena.core.errors import ArenaError, GameError, Refused, Unavailable, UsageError
from arena.core.protocol import set_for_grpc
from bots.sdk.running import ADDRESS_VARIABLE, EXIT_LOST, EXIT_REFUSED, EXIT_USAGE, TICKET_VARIABLE

if TYPE_CHECKING:
    from arena.v1 import play_pb2

EXIT_FAILED: Final = 1
MAX_LINE: Final = 65_536
"""Bytes that a line of the program may have."""
MOST_LINES: Final = 64
"""Lines that wait to be read here; a program that writes more waits in its own print."""
FAREWELL_S: Final = 0.8
"""How long the program may go on after its input has ended; the arena leaves a bot one second after its match."""

_SHOWN: Final = 120
_PR_SET_PDEATHSIG: Final = 1
_HINT: Final = 'answer {"action": INDEX}; standard output is for answers alone, print anything else to standard error'


class Program:
    """The running program. Raises GameError (PROGRAM_ENDED, BAD_OUTPUT) where it does what it should not."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it; "python" is this very interpreter. Raises UsageError for a command that cannot be started."""
        first = sys.executable if command[0] in {"python", "python3"} else command[0]
        environment = {name: text for name, text in os.environ.items() if not name.startswith("WHITEOUT_")}
        try:
            self._process = subprocess.Popen(
                [_found(first), *command[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                start_new_session=True, preexec_fn=_end_with_parent,  # noqa: PLW1509 - there are no threads yet
            )  # fmt: skip
        except OSError as wrong:
            raise UsageError(
                f"{command[0]} cannot be started: {wrong.strerror}; mend `command` in bot.toml, and see that the file "
                "may be executed",
                reason="CANNOT_START",
            ) from None
        self._lines: queue.Queue[bytes] = queue.Queue(MOST_LINES)
        self._read = 0
        self._last = b""
        self._expected_to_end = False
        self._asking = False
        self._ending = threading.Lock()
        threading.Thread(target=self._read_lines, name="lines of the program", daemon=True).start()

    def tell(self, line: bytes) -> None:
        """Hand it a line; whether it still listens is seen when it is to answer."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def ask(self, line: bytes, ply: int) -> Any:
        """Hand it the line of a turn and return the JSON value it answers."""
        self._asking = True
        self.check_silent(f"before it was asked for ply {ply}")
        self.tell(line)
        answer = self._lines.get()
        if not answer:
            self._ending.acquire()  # for good: the end is told once
            raise GameError(f"the program {self._end()} before it answered ply {ply}", reason="PROGRAM_ENDED")
        self._asking = False
        self._read += 1
        self._last = answer
        if len(answer) > MAX_LINE:
            raise self.bad(f"has more than {MAX_LINE} bytes")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self.bad("is no JSON") from None

    def tell_last(self, line: bytes) -> None:
        """Hand it the last line; after it the program may end."""
        self._expected_to_end = True
        self.tell(line)

    def check_silent(self, when: str) -> None:
        """Raise GameError if it has written a line that nothing was asked for."""
        with suppress(queue.Empty):
            line = self._lines.get_nowait()
            if line:
                self._read += 1
                self._last = line
                raise self.bad(f"came {when}")
            self._lines.put(line)

    def bad(self, what: str) -> GameError:
        """Return the error that names the last line read and what is wrong with it."""
        text = self._last[:_SHOWN].decode(errors="replace").rstrip("\r\n")
        shown = json.dumps(text, ensure_ascii=True) + ("..." if len(self._last) > _SHOWN else "")
        return GameError(f"line {self._read} of the program's output {what}: {shown}; {_HINT}", reason="BAD_OUTPUT")

    def finish(self) -> int:
        """End its input and return its exit status once it has ended; it is killed if it does not. Raises GameError."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            status = self._process.wait(FAREWELL_S)
        except subprocess.TimeoutExpired:
            raise GameError(
                f"the program still ran {FAREWELL_S} s after the end of its match; end when standard input does",
                reason="PROGRAM_STAYED",
            ) from None
        self.check_silent("after the end of the match")
        return status

    def kill(self) -> None:
        """End it and everything in its process group; harmless when it is gone."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _end(self) -> str:
        """Return how it ended, or that it has only closed its output."""
        try:
            status = self._process.wait(FAREWELL_S)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        return f"ended with status {status}" if status >= 0 else f"ended by signal {-status}"

    def _read_lines(self) -> None:
        """Hand on each line; an empty one stands for the end, with which this process ends if nobody waits for it."""
        stream = self._process.stdout
        while stream is not None:
            line = stream.readline(MAX_LINE + 1)
            self._lines.put(line)
            if not line:
                break
        if not self._asking and not self._expected_to_end and self._ending.acquire(blocking=False):
            _say(f"the program {self._end()} although its match goes on")
            self.kill()
            os._exit(EXIT_FAILED)


class BridgedSeat:
    """A seat that a program plays; keeps the last answer for a turn that is asked again."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._started = False
        self._answered: tuple[int, play_pb2.PlayRequest] | None = None

    def start(self, start: play_pb2.Start) -> None:
        """Tell the program the facts, on the first stream."""
        from arena.core.registry import load_game  # noqa: PLC0415 - what imports gRPC and games comes after the start
        from bots.sdk.jsonlines import to_json, to_line  # noqa: PLC0415 - as above

        if not self._started:
            self._started = True
            self._game = load_game(start.game)  # its messages become known by being imported
            self._program.tell(to_line({"type": "start", **to_json(start)}))

    def answer(self, message: play_pb2.Turn) -> play_pb2.PlayRequest:
        """Ask the program."""
        from bots.sdk.jsonlines import to_json, to_line  # noqa: PLC0415 - as in start

        if self._answered is None or self._answered[0] != message.ply:
            _, legal = self._game.parse_turn(message.body.value)
            texts = [self._game.actions.text_of(action) for action in legal]
            turn = {"type": "turn", "ply": message.ply, "bank_ms": message.bank_ms, "texts": texts}
            answer = self._program.ask(to_line(turn | to_json(message.body)), message.ply)
            self._answered = (message.ply, self._request(message.ply, answer))
        return self._answered[1]

    def game_over(self, message: play_pb2.GameOver) -> None:
        """Tell the program how it came out."""
        from arena.v1 import match_result_pb2  # noqa: PLC0415 - as in start
        from bots.sdk.jsonlines import to_json, to_line  # noqa: PLC0415 - as above

        over = {"type": "game_over", **to_json(message)}
        over["end"] = match_result_pb2.MatchEnd.Name(message.end).removeprefix("MATCH_END_")
        for seat, result in zip(over["seats"], message.seats, strict=True):
            seat["end"] = match_result_pb2.SeatEnd.Name(result.end).removeprefix("SEAT_END_")
        self._program.tell_last(to_line(over))

    def _request(self, ply: int, answer: Any) -> play_pb2.PlayRequest:
        from arena.v1 import play_pb2  # noqa: PLC0415 - as in start

        if answer == {"resign": True}:
            return play_pb2.PlayRequest(resign=play_pb2.Resign())
        if not isinstance(answer, dict) or not {"action"} <= answer.keys() <= {"action", "ply"}:
            raise self._program.bad("is no answer")
        index = _whole(answer["action"])
        if index is None:
            raise self._program.bad("has no whole number of 32 bits as its action")
        if "ply" in answer and answer["ply"] != ply:
            raise self._program.bad(f"answers another ply than the one asked, {ply}")
        return play_pb2.PlayRequest(answer=play_pb2.Answer(ply=ply, action=index))


def main(arguments: Sequence[str]) -> int:
    """Play the match that the environment names with this command; return the exit code."""
    command = list(arguments[1:] if arguments[:1] == ["--"] else arguments)
    address, ticket = os.environ.get(ADDRESS_VARIABLE, ""), os.environ.get(TICKET_VARIABLE, "")
    if not command or not address or not ticket:
        _say("usage: python -m bots.sdk.bridge -- COMMAND..., started by the arena; `arena play GAME FOLDER OPPONENT`")
        return EXIT_USAGE
    try:
        program = Program(command)
    except UsageError as error:
        _say(error.message)
        return EXIT_USAGE
    try:
        return _play(program, address, ticket)
    except Refused as error:
        _say(f"{error.code}: {error.message}")
        return EXIT_REFUSED
    except Unavailable as error:
        _say(f"{error.code}: {error.message}")
        return EXIT_LOST
    except ArenaError as error:
        _say(error.message)
        return EXIT_FAILED
    finally:
        program.kill()


def _play(program: Program, address: str, ticket: str) -> int:
    set_for_grpc()
    from bots.sdk.client import play_seat  # noqa: PLC0415 - the program starts before gRPC does: it forks

    play_seat(BridgedSeat(program), address, ticket)
    status = program.finish()
    if status != 0:
        _say(f"the program ended with status {status} after the match")
        return EXIT_FAILED
    return 0


def _whole(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**31) <= value < 2**31:
        return None
    return value


def _found(first: str) -> str:
    """Return the program as a path: in the bot's folder, which is the working directory, else on PATH."""
    return first if "/" in first else shutil.which(first) or first


def _end_with_parent() -> None:
    """Have the kernel kill the program when the bridge is gone, however it went."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _say(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
