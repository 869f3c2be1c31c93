"""The endpoint for machines that watch: GET /metrics, /healthz (the process is alive), /readyz (it can do its work)."""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Overdue
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from arena.core.errors import ArenaError, Unavailable
from arena.net.addresses import split_address
from arena.telemetry.logs import without_secrets

CHECK_S: Final = 3.0
"""How long a check may take; one that is still at it then is not well."""

REQUEST_S: Final = 2.0
"""How long a client may take to ask: requests are answered one after the other."""

METRICS: Final = "ARENA_METRICS"
HELP: Final = f"serve /metrics, /healthz and /readyz there, in plain text and to anybody; else ${METRICS}, else nowhere"

Check = Callable[[], None]
"""Returns if a thing is well; raises ArenaError that says what is not."""


def take_address(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the address that --metrics or the environment names, "" for none, and the other arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--metrics", metavar="HOST:PORT", default=environment.get(METRICS, ""), help=HELP)
    known, rest = parser.parse_known_args(arguments)
    return known.metrics, rest


class Readiness:
    """Whether everything that a process needs is there; checks by the name of the thing."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = dict(checks)
        self._pool = ThreadPoolExecutor(max(1, len(checks)), "readiness")
        self._running: dict[str, Future[None]] = {}

    def look(self) -> dict[str, str]:
        """Return of each thing "ok" or what is wrong with it, within CHECK_S seconds."""
        for name, check in self._checks.items():
            if name not in self._running:
                self._running[name] = self._pool.submit(check)
        return {name: self._verdict(name) for name in self._checks}

    def close(self) -> None:
        """Start no more checks."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _verdict(self, name: str) -> str:
        running = self._running[name]
        try:
            running.result(CHECK_S)
        except Overdue:
            return f"no answer within {CHECK_S:g} s"  # it goes on, and the next look asks for its end
        except ArenaError as error:
            verdict = without_secrets(error.message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the thing is not well
            verdict = f"internal error: {type(error).__name__}"
        else:
            verdict = "ok"
        del self._running[name]
        return verdict


class Endpoint:
    """Serves the three addresses from a thread of its own. Not for strangers: it has neither tokens nor TLS."""

    def __init__(self, address: str, registry: CollectorRegistry, readiness: Readiness) -> None:
        """Listen on HOST:PORT, port 0 for any free one. Raises UsageError, Unavailable (ADDRESS_IN_USE)."""
        host, port = split_address(address)

        class Handler(_Handler):
            figures = registry
            ready = readiness

        class Server(HTTPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Say nothing of a client that has gone: it may come back as often as it likes."""

        try:
            self._server = Server((host, port), Handler)
        except OSError as error:
            raise Unavailable(
                f"cannot listen on {address} ({error.strerror or error}); choose another with --metrics",
                reason="ADDRESS_IN_USE",
            ) from None
        self.address = f"{address.rpartition(':')[0]}:{self._server.server_address[1]}"
        self._readiness = readiness
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._readiness.close()


class _Handler(BaseHTTPRequestHandler):
    figures: CollectorRegistry
    ready: Readiness
    timeout = REQUEST_S
    server_version = "whiteout"
    sys_version = ""

    def setup(self) -> None:
        """Begin; REQUEST_S bounds each wait for bytes, and this one all of them: a drip keeps nobody else waiting."""
        super().setup()
        self._asking = threading.Timer(REQUEST_S, _hang_up, (self.connection,))
        self._asking.daemon = True
        self._asking.start()

    def finish(self) -> None:
        """End."""
        self._asking.cancel()
        super().finish()

    def do_GET(self) -> None:
        """Answer one of the three."""
        self._asking.cancel()
        path = self.path.partition("?")[0]
        if path == "/metrics":
            self._answer(200, CONTENT_TYPE_LATEST, generate_latest(self.figures))
        elif path == "/healthz":
            self._answer(200, "text/plain; charset=utf-8", b"ok\n")
        elif path == "/readyz":
            found = self.ready.look()
            well = all(verdict == "ok" for verdict in found.values())
            body = json.dumps({"ready": well, **found}).encode() + b"\n"
            self._answer(200 if well else 503, "application/json", body)
        else:
            self._answer(404, "text/plain; charset=utf-8", b"there are /metrics, /healthz and /readyz\n")

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - named by the library
        """Say nothing: whoever watches asks every few seconds."""

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _hang_up(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
