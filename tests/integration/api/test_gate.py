import logging
import queue
import threading
from functools import partial

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.api import gate
from arena.api.limits import Limits
from arena.api.server import SERVICES
from arena.services.access import RIGHTS
from arena.v1 import account_pb2, bot_pb2

METHODS = {f"/{service.full_name}/{method.name}": method for service in SERVICES for method in service.methods}


@pytest.fixture
def channel(arena):
    with grpc.insecure_channel(arena.address) as opened:
        yield opened


def ask(channel, path, *metadata, body=b""):
    """Call a method with an empty request, or other bytes, and read all its answers."""
    method = METHODS[path]
    kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
    call = getattr(channel, kind)(path, request_serializer=bytes, response_deserializer=bytes)
    answer = call(iter([body]) if method.client_streaming else body, timeout=10, metadata=metadata)
    return list(answer) if method.server_streaming else [answer]


def test_health_is_open_and_names_every_service(channel):
    health = health_pb2_grpc.HealthStub(channel)

    for name in ("", *(service.full_name for service in SERVICES)):
        answer = health.Check(health_pb2.HealthCheckRequest(service=name), timeout=10)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_is_open_and_lists_every_service(channel):
    reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")

    answer = next(iter(reflection.ServerReflectionInfo(iter([request]), timeout=10)))

    listed = {service.name for service in answer.list_services_response.service}
    assert {service.full_name for service in SERVICES} <= listed


def test_a_method_that_does_not_exist_is_unimplemented(channel):
    call = channel.unary_unary("/arena.v1.BotService/Invent", bytes, bytes)

    with pytest.raises(grpc.RpcError) as caught:
        call(b"", timeout=10)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize(
    ("size", "message", "reason"),
    [(2 << 20, "1048576 are the most", "REQUEST_TOO_LARGE"), (5 << 20, "larger than max", "RESOURCE_EXHAUSTED")],
)
def test_a_message_above_the_size_limit_is_refused(arena, admin, size, message, reason):
    with pytest.raises(Exception, match=message) as caught:
        admin.call(admin.bots.GetBot, bot_pb2.GetBotRequest(name="x" * size))
    assert caught.value.code == reason


def test_a_fault_of_the_server_is_an_incident_in_its_log_and_no_traceback_for_the_caller(arena, admin, caplog):
    arena.store.read = None  # whatever is called now fails inside
    with pytest.raises(Exception, match="incident") as caught, caplog.at_level(logging.ERROR, "arena.api"):
        admin.call(admin.bots.ListBots, bot_pb2.ListBotsRequest())
    del arena.store.read

    incident = caught.value.message.rpartition(" ")[2]
    assert caught.value.code == "INTERNAL"
    assert "NoneType" not in caught.value.message
    assert any(incident in record.message and record.exc_info for record in caplog.records)


def test_no_token_ever_stands_in_a_log(arena, admin, caplog):
    with caplog.at_level(logging.DEBUG):
        made = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(label="x"))
        mine = arena.session(made.secret)
        mine.call(mine.accounts.WhoAmI, account_pb2.WhoAmIRequest())
        wrong = arena.session("wo_wrong-secret")
        with pytest.raises(Exception, match="not known"):
            wrong.call(wrong.accounts.WhoAmI, account_pb2.WhoAmIRequest())

    assert "AccountService/WhoAmI" in caplog.text
    for secret in (arena.admin, made.secret, "wo_wrong-secret"):
        assert secret not in caplog.text


def test_a_deadline_that_has_passed_is_told_as_such(arena, admin):
    with pytest.raises(Exception, match="did not answer in time") as caught:
        admin.call(admin.accounts.WhoAmI, account_pb2.WhoAmIRequest(), timeout_s=-1.0)
    assert caught.value.code == "DEADLINE_EXCEEDED"


def silent_calls(channel, path, count, *metadata):
    """Calls that send their headers and keep their request to themselves."""
    gag = threading.Event()

    def nothing():
        gag.wait()
        yield from ()

    # A stream of requests on the client's side is the same call on the wire, without its message.
    call = channel.stream_stream(path, request_serializer=bytes, response_deserializer=bytes)
    return [call(nothing(), timeout=30, metadata=metadata) for _ in range(count)], gag.set


def test_strangers_who_hold_calls_open_keep_nobody_with_a_token_out(arena, admin):
    connections, ungag = [], []
    for number in range(6):  # a connection carries 100 calls; the server has places for 500
        channel = grpc.insecure_channel(arena.address, [("grpc.use_local_subchannel_pool", 1)])
        connections.append(channel)
        path = ("/grpc.health.v1.Health/Watch", "/arena.v1.BotService/ListBots")[number % 2]
        ungag.append(silent_calls(channel, path, 100)[1])

    for _ in range(20):
        assert admin.call(admin.accounts.WhoAmI, account_pb2.WhoAmIRequest()).account.name == "admin"
    for release in ungag:
        release()
    for channel in connections:
        channel.close()


def test_an_account_with_too_many_calls_is_told_so_and_others_are_served(arena, admin, channel):
    arena.author("ann")
    secret = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account="ann")).secret
    token = ("authorization", f"Bearer {secret}")
    held, release = silent_calls(channel, "/arena.v1.BotService/WatchSubmission", Limits().calls + 5, token)

    ended = queue.SimpleQueue()
    for call in held:
        if not call.add_callback(partial(ended.put, call)):
            ended.put(call)
    refused = [ended.get(timeout=20) for _ in range(5)]
    assert {call.code() for call in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert "ann makes too many calls" in refused[0].details()
    assert admin.call(admin.accounts.WhoAmI, account_pb2.WhoAmIRequest()).account.name == "admin"
    release()


def test_a_call_that_keeps_its_request_to_itself_is_ended(arena, channel, monkeypatch):
    monkeypatch.setattr(gate, "REQUEST_S", 0.05)
    for path, token in (
        ("/arena.v1.BotService/ListBots", [("authorization", f"Bearer {arena.admin}")]),
        ("/arena.v1.TournamentService/WatchTournament", [("authorization", f"Bearer {arena.admin}")]),
        ("/grpc.health.v1.Health/Watch", []),
    ):
        (call,), release = silent_calls(channel, path, 1, *token)
        assert call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED, path
        assert "no request came" in call.details()
        release()


def test_bytes_that_are_no_request_are_the_callers_fault_at_every_rpc(arena, channel):
    for path in sorted(RIGHTS):
        with pytest.raises(grpc.RpcError) as caught:
            ask(channel, path, ("authorization", f"Bearer {arena.admin}"), body=b"\xff\xff\xff\xff\x0f\x07")
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT, path


def texts(message, prefix=()):
    """Yield, for every text field of a request, the path to it and a request with a NUL character there."""
    for field in message.DESCRIPTOR.fields:
        made = type(message)()
        if field.type == field.TYPE_STRING:
            if field.is_repeated:
                getattr(made, field.name).append("a\0b")
            else:
                setattr(made, field.name, "a\0b")
            yield (*prefix, field.name), made
        elif field.type == field.TYPE_MESSAGE and field.message_type.full_name.startswith("arena."):
            inner = getattr(made, field.name)
            for path, filled in texts(inner.add() if field.is_repeated else inner, (*prefix, field.name)):
                whole = type(message)()
                part = getattr(whole, field.name)
                (part.add() if field.is_repeated else part).CopyFrom(filled)
                yield path, whole


def test_a_text_with_a_nul_character_is_refused_in_every_field_of_every_rpc(arena_with):
    # PostgreSQL takes none, SQLite does: without a check one is a fault of the server, the other goes through.
    arena = arena_with(limits=Limits(per_s=1e6, burst=10_000))
    with grpc.insecure_channel(arena.address) as channel:
        for path in sorted(RIGHTS):
            for field, request in texts(GetMessageClass(METHODS[path].input_type)()):
                with pytest.raises(grpc.RpcError) as caught:
                    ask(channel, path, ("authorization", f"Bearer {arena.admin}"), body=request.SerializeToString())
                assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
                assert caught.value.details().startswith(f"{'.'.join(field)}: ")
