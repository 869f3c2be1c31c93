"""Asks a process of this machine whether it is ready: `python -m arena.telemetry.probe PORT`; exit code 0 if it is."""

from __future__ import annotations

import sys
from http.client import HTTPConnection, HTTPException
from typing import Final

ASK_S: Final = 10.0


def main(arguments: list[str]) -> int:
    """Ask and print the answer; return 0 for ready, 1 for not ready or no answer, 2 for a wrong call."""
    if len(arguments) != 1 or not arguments[0].isdecimal():
        print("usage: python -m arena.telemetry.probe PORT", file=sys.stderr)
        return 2
    connection = HTTPConnection("127.0.0.1", int(arguments[0]), timeout=ASK_S)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        print(answer.read().decode(errors="replace").strip())
    except (OSError, HTTPException) as error:
        print(f"no answer: {error}", file=sys.stderr)
        return 1
    finally:
        connection.close()
    return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
