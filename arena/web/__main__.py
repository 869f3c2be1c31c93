"""Runs the web server: `python -m arena.web --database URL`; stdout says {"web": URL} once it listens."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from arena.core.errors import ArenaError
from arena.net.tls import add_tls_options
from arena.telemetry.endpoint import HELP, METRICS
from arena.telemetry.logs import configure
from arena.web.server import serve


def main(arguments: Sequence[str]) -> int:
    """Serve until told to stop; return the exit code."""
    asked = _parser().parse_args(arguments)
    configure("web")
    try:
        asyncio.run(serve(asked))
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m arena.web", description="The web page of a Whiteout arena.")
    parser.add_argument("--listen", default="127.0.0.1:8080", metavar="HOST:PORT", help="port 0 takes any free one")
    parser.add_argument("--database", metavar="URL", help="a prepared database; else $ARENA_DATABASE")
    parser.add_argument("--broker", metavar="URL", help="for live matches; else $ARENA_BROKER")
    parser.add_argument("--metrics", default=os.environ.get(METRICS, ""), metavar="HOST:PORT", help=HELP)
    parser.add_argument("--behind-tls", action="store_true", help="a proxy in front speaks TLS")
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when standard input closes")
    add_tls_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
