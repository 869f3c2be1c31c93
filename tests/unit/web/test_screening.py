"""A log as lines of JSON for the replay page."""

import gzip
import io
import json
from dataclasses import replace
from itertools import chain

import pytest
from screenplay import golden

from arena.match import SeatLabel
from arena.match.entries import Entry, Ply
from arena.match.replay import Replay
from arena.web.screening import CHUNK, FIRST, Shelf, Squeeze, head_of, open_replay, screen


@pytest.fixture(scope="module")
def replay() -> Replay:
    return open_replay(golden("first_snow/golden/standard-2").text.encode())


@pytest.mark.parametrize("ply", [0, 3, 57, 110])
def test_every_position_is_sent_once_those_around_the_asked_one_first(replay, ply) -> None:
    lines = [json.loads(line) for line in screen(replay, "public", ply)]
    plies = [[frame[0] for frame in line["frames"]] for line in lines]
    assert ply in plies[0]
    assert len(plies[0]) <= FIRST
    assert max(map(len, plies)) <= CHUNK
    assert sorted(chain(*plies)) == list(range(replay.plies + 1))


class Counted(Replay):
    """Counts the plies that are made."""

    made = 0

    def _make(self, entry: Entry) -> None:
        self.made += isinstance(entry, Ply)
        super()._make(entry)


@pytest.mark.parametrize("ply", [0, 57])
def test_a_log_is_walked_a_few_times_however_many_lines_its_frames_need(ply: int) -> None:
    replay = Counted(golden("first_snow/golden/standard-2").text.encode().splitlines(keepends=True))
    sent = len(list(screen(replay, "public", ply)))
    assert sent >= 3
    assert replay.made < 3 * replay.plies


def test_no_line_of_a_drawing_is_sent_twice(replay) -> None:
    pieces = [piece for line in screen(replay, "all", 0) for piece in json.loads(line)["pieces"]]
    assert len(pieces) == len(set(pieces))


def test_what_was_sent_can_be_read_before_the_end() -> None:
    squeeze = Squeeze()
    sent = squeeze.take(b"first line\n")
    with gzip.GzipFile(fileobj=io.BytesIO(sent)) as reader:
        assert reader.readline() == b"first line\n"
    assert gzip.decompress(sent + squeeze.take(b"second\n") + squeeze.end()) == b"first line\nsecond\n"


def test_a_shelf_keeps_the_replays_that_were_wanted_last(replay) -> None:
    shelf = Shelf(2)
    shelf.keep(1, replay)
    shelf.keep(2, replay)
    assert shelf.find(1) is replay
    shelf.keep(3, replay)
    assert shelf.find(2) is None
    assert shelf.find(1) is replay


def test_two_who_look_at_one_log_step_on_their_own(replay) -> None:
    one, other = replay.again(), replay.again()
    one.seek(40)
    other.seek(3)
    assert (one.ply, other.ply) == (40, 3)
    assert one.view(None) != other.view(None)


def test_the_head_holds_what_is_always_shown(replay) -> None:
    head = head_of(replay)
    assert (head.end, head.reason, head.plies, len(head.course)) == ("COMPLETED", "points", 110, 110)
    assert [(line.seat, line.rank) for line in head.seats] == [(0, 1), (1, 2)]
    assert len(head.seed) == 32


@pytest.mark.parametrize(
    ("written", "shown"),
    [("2030-01-02T12:34:56+00:00", "2030-01-02 12:34 UTC"), ("noon\u202e", "noon\\u202e"), ("", "")],
)
def test_the_start_of_a_match_is_written_as_on_other_pages(written, shown) -> None:
    opened = open_replay(golden("first_snow/golden/standard-2").text.encode())
    opened.header = replace(opened.header, meta={"started": written})
    assert head_of(opened).started == shown


def test_a_name_of_others_is_cut_and_shows_what_it_hides() -> None:
    opened = open_replay(golden("first_snow/golden/standard-2").text.encode())
    opened.header = replace(opened.header, seats=(SeatLabel("a" * 500, "1"), SeatLabel("x\u202ey", "1")))
    first, second = head_of(opened).seats
    assert len(first.bot) <= 65
    assert second.bot == "x\\u202ey"
