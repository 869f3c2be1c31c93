"""gRPC servicers, thin."""
