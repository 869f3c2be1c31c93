import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from arena.cli.client import parse_bot
from arena.cli.options import clock_time, parse_span, word
from arena.core.errors import UsageError
from arena.v1.tournament_pb2 import TOURNAMENT_STATE_RUNNING, TournamentState


def test_a_bot_is_a_name_with_or_without_a_version():
    assert parse_bot("greedy") == ("greedy", 0)
    assert parse_bot("greedy@12") == ("greedy", 12)


@pytest.mark.parametrize(
    "text", ["", "@1", "greedy@", "greedy@0", "greedy@x", "greedy@1@2", "greedy@-1", "a@99999999999"]
)
def test_anything_else_is_no_bot(text):
    with pytest.raises(UsageError, match="is no bot"):
        parse_bot(text)


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("12h", 43_200), ("30d", 2_592_000)])
def test_a_span_is_a_number_with_its_unit(text, seconds):
    assert parse_span(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "d", "0d", "-1d", "1w", "1.5h", "999999d"])
def test_anything_else_is_no_span(text):
    with pytest.raises(UsageError, match="30d"):
        parse_span(text)


def test_states_read_as_words():
    assert word(TournamentState.Name, TOURNAMENT_STATE_RUNNING, "TOURNAMENT_STATE_") == "running"


def test_times_are_shown_in_utc_to_the_minute_and_absent_ones_as_a_dash():
    assert clock_time(Timestamp(seconds=1_893_585_600)) == "2030-01-02 12:00"
    assert clock_time(Timestamp()) == "-"
