"""The referee as a program: its addresses, its sockets, its end."""

import asyncio
import signal
import stat
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from refereeing import PATIENCE_S, QUICK, honest_bot, raw_bot, referee_process

from arena.v1 import referee_pb2


def run_referee(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


async def test_the_ready_line_names_both_addresses(referee, tmp_path):
    assert referee.ready == {"bots": f"unix:{tmp_path}/bots.sock", "control": f"unix:{tmp_path}/control.sock"}


async def test_only_the_owner_may_open_the_control_socket(referee, tmp_path):
    assert stat.S_IMODE((tmp_path / "control.sock").stat().st_mode) == 0o600


async def test_everybody_may_open_the_bots_socket(referee, tmp_path):
    assert stat.S_IMODE((tmp_path / "bots.sock").stat().st_mode) == 0o666


async def test_the_control_socket_answers_health_checks(referee):
    stub = health_pb2_grpc.HealthStub(referee.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(service="arena.v1.RefereeService"))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_the_bots_socket_does_not_serve_the_control_service(referee):
    async with grpc.aio.insecure_channel(referee.bots) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary("/arena.v1.RefereeService/ReportExit")(b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_free_port_is_chosen_and_named(tmp_path):
    async with referee_process(tmp_path, bots="127.0.0.1:0") as referee:
        assert referee.bots.startswith("127.0.0.1:")
        assert not referee.bots.endswith(":0")
        match = await referee.host()
        assert match.address == referee.bots
        async with honest_bot(match, 0), honest_bot(match, 1):
            assert (await match.finished()).end == "COMPLETED"


async def test_it_ends_when_its_standard_input_closes(tmp_path):
    async with referee_process(tmp_path) as referee:
        referee.process.stdin.close()
        assert await asyncio.wait_for(referee.process.wait(), PATIENCE_S) == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_on_a_signal_and_stops_what_it_hosts(tmp_path, number):
    async with referee_process(tmp_path) as referee:
        match = await referee.host()
        async with raw_bot(match.address, match.tickets[0]) as bot:
            await bot.read()
            referee.process.send_signal(number)
            with pytest.raises(grpc.aio.AioRpcError):
                await bot.read()
        assert await asyncio.wait_for(referee.process.wait(), PATIENCE_S) == 0


async def test_a_port_in_use_is_one_clear_line(tmp_path):
    async with referee_process(tmp_path, bots="127.0.0.1:0") as referee:
        ran = await asyncio.to_thread(run_referee, "--bots", referee.bots, "--control", f"unix:{tmp_path}/other.sock")
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"error: cannot listen on {referee.bots}")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("bots", "control"),
    [("nonsense", "unix:c"), ("127.0.0.1:0", "127.0.0.1:0"), ("unix:" + "x" * 200, "unix:c"), ("unix:", "unix:c")],
)
def test_an_address_that_cannot_be_is_one_clear_line(bots, control):
    ran = run_referee("--bots", bots, "--control", control)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: ")
    assert ran.stderr.count("\n") == 1


def test_a_folder_that_does_not_exist_is_one_clear_line(tmp_path: Path):
    ran = run_referee("--bots", "127.0.0.1:0", "--control", f"unix:{tmp_path}/no/such.sock")
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: cannot listen on unix:")


BAD_REQUESTS = [
    ({"game": "go-fish"}, "UNKNOWN_GAME", grpc.StatusCode.INVALID_ARGUMENT),
    ({"variant": "endless"}, "UNKNOWN_VARIANT", grpc.StatusCode.INVALID_ARGUMENT),
    ({"seats": 9}, "WRONG_NUMBER_OF_SEATS", grpc.StatusCode.INVALID_ARGUMENT),
    ({"clock": "fast"}, "BAD_CLOCK", grpc.StatusCode.INVALID_ARGUMENT),
    ({"seed": b"short"}, "BAD_SEED", grpc.StatusCode.INVALID_ARGUMENT),
    ({"components": "[nonsense]"}, "BAD_COMPONENTS", grpc.StatusCode.INVALID_ARGUMENT),
    ({"cap_ms": -1}, "BAD_INPUT", grpc.StatusCode.INVALID_ARGUMENT),
]


@pytest.mark.parametrize(("wrong", "reason", "code"), BAD_REQUESTS, ids=[row[1] for row in BAD_REQUESTS])
async def test_a_match_that_cannot_be_hosted_is_refused_with_its_reason(referee, wrong, reason, code):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await referee.host(**wrong)
    assert dict(caught.value.trailing_metadata())["reason"] == reason
    assert caught.value.code() is code
    assert caught.value.details().startswith(f"{reason}: ")


async def test_a_second_match_with_the_same_id_is_refused(referee):
    await referee.host(match_id="one")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await referee.host(match_id="one")
    assert dict(caught.value.trailing_metadata())["reason"] == "MATCH_EXISTS"
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_an_exit_in_a_match_that_is_over_has_no_effect(referee):
    await referee.stub.ReportExit(referee_pb2.ReportExitRequest(match_id="long gone", seat=0))


async def test_a_seat_that_does_not_exist_is_named(referee):
    match = await referee.host()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await referee.report_exit(match, 7)
    assert dict(caught.value.trailing_metadata())["reason"] == "UNKNOWN_SEAT"
    await match.cancel()


async def test_replacing_a_seat_of_no_match_is_refused(referee):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await referee.stub.ReplaceSeat(referee_pb2.ReplaceSeatRequest(match_id="none", seat=0))
    assert dict(caught.value.trailing_metadata())["reason"] == "UNKNOWN_MATCH"


async def test_two_referees_do_not_know_each_others_tickets(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with referee_process(tmp_path / "a") as one, referee_process(tmp_path / "b") as two:
        match = await one.host(clock=QUICK)
        async with raw_bot(two.bots, match.tickets[0]) as bot:
            assert await bot.refused() == ("UNKNOWN_TICKET", "UNAUTHENTICATED")
        await match.cancel()
