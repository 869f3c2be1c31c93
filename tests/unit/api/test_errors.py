import grpc
import pytest

from arena.api.errors import STATUS, kind_of, status_of
from arena.core import errors
from arena.core.errors import ArenaError, BadClock, Conflict, LeaseLost, NotFound, Unauthenticated, UsageError

EVERY = sorted(
    (kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ArenaError)),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", EVERY)
def test_every_error_has_a_status_and_comes_back_as_itself_or_a_relative_with_the_same_exit_code(kind):
    status = status_of(kind)

    assert status not in {grpc.StatusCode.OK, grpc.StatusCode.INTERNAL}
    assert issubclass(kind, errors.GameError) or kind_of(status).exit_code == kind.exit_code


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (UsageError, grpc.StatusCode.INVALID_ARGUMENT),
        (BadClock, grpc.StatusCode.INVALID_ARGUMENT),
        (NotFound, grpc.StatusCode.NOT_FOUND),
        (Conflict, grpc.StatusCode.FAILED_PRECONDITION),
        (Unauthenticated, grpc.StatusCode.UNAUTHENTICATED),
        (LeaseLost, grpc.StatusCode.ABORTED),
    ],
)
def test_the_table_says_what_the_protocol_promises(kind, status):
    assert status_of(kind) is status


def test_a_status_outside_the_table_is_some_arena_error():
    assert kind_of(grpc.StatusCode.CANCELLED) is ArenaError


def test_every_reason_is_one_upper_snake_word():
    assert all(kind.reason.isupper() and kind.reason.replace("_", "").isalpha() for kind in EVERY)
    assert all(issubclass(kind, ArenaError) for kind in STATUS)
