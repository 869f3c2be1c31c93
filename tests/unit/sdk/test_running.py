"""What a bot's program puts into its environment before gRPC is imported."""

import os
import subprocess
import sys

from arena.core.protocol import GRPC_ENVIRONMENT, set_for_grpc


def test_what_grpc_reads_is_set_unless_the_author_has_set_it(monkeypatch):
    monkeypatch.setenv("GRPC_VERBOSITY", "INFO")
    monkeypatch.setenv("GRPC_EXPERIMENTS", "")
    monkeypatch.delenv("GRPC_EXPERIMENTS")
    set_for_grpc()
    assert os.environ["GRPC_VERBOSITY"] == "INFO"
    assert os.environ["GRPC_EXPERIMENTS"] == GRPC_ENVIRONMENT["GRPC_EXPERIMENTS"]


def test_grpc_knows_what_it_is_asked_to_do_without():
    asked = {**os.environ, **GRPC_ENVIRONMENT, "GRPC_VERBOSITY": "ERROR"}
    done = subprocess.run([sys.executable, "-c", "import grpc"], env=asked, capture_output=True, text=True, check=True)
    assert "Unknown experiment" not in done.stderr
