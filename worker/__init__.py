"""Workers: claim blocks, have their matches hosted, record the results. A Celery message is only a doorbell."""

import os

from arena.core.protocol import GRPC_ENVIRONMENT

# Before anything imports gRPC, which reads it then: each message of the referee's passes through fewer threads.
os.environ.setdefault("GRPC_EXPERIMENTS", GRPC_ENVIRONMENT["GRPC_EXPERIMENTS"])
