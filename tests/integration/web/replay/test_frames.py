"""What a replay is sent: frames of the log, from one perspective alone, small, and refusals."""

import gzip
import json

import pytest
from replaying import drawn, sent
from screenplay import golden

from arena.match.entries import Ply
from arena.match.reel import frames
from arena.match.replay import Replay


@pytest.mark.parametrize("name", ["completed", "five", "long"])
def test_the_frames_sent_are_those_of_the_log(matches, web, name):
    match = {"completed": "first_snow/golden/standard-2", "five": "frost_shelter/golden/standard-5"}.get(name)
    log = golden(match or "snowblind/golden/epic-4")
    replay = Replay(log.text.encode().splitlines(keepends=True))
    pictures = drawn(sent(web, f"/matches/{matches.of_name[name]}/frames.json?ply=33&as=public"))
    assert sorted(pictures) == list(range(replay.plies + 1))
    for frame in frames(replay, "public", 20, 40):
        assert pictures[frame.ply] == frame.picture.rstrip("\n")


def test_the_first_line_holds_the_position_that_was_asked_for(matches, web):
    first = sent(web, f"/matches/{matches.of_name['long']}/frames.json?ply=500&as=all")[0]
    assert 500 in [frame[0] for frame in first["frames"]]
    assert len(first["frames"]) <= 12


def test_the_answer_is_small_where_the_browser_takes_it_squeezed(matches, web):
    answer = web.fetch(f"/matches/{matches.of_name['long']}/frames.json?as=all", Accept_Encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 100_000
    assert len(drawn([json.loads(line) for line in gzip.decompress(answer.body).splitlines()])) == 772


def test_no_byte_of_a_seats_frames_tells_another_seats_cards(matches, web):
    """Every card that only seat 0 has seen up to a ply is looked for in what seats 1 to 4 and the public are sent."""
    number = matches.of_name["five"]
    replay = Replay(golden("frost_shelter/golden/standard-5").text.encode().splitlines(keepends=True))
    dealt = [entry for entry in replay.entries if isinstance(entry, Ply)][8:43]
    own = {
        seat: [replay.game.describe(replay.game.actions.parse(one.action), replay.components) for one in dealt][
            seat * 7 : seat * 7 + 7
        ]
        for seat in range(5)
    }
    for looks in ("public", "seat-1", "seat-2"):
        lines = sent(web, f"/matches/{number}/frames.json?ply=0&as={looks}")
        told = json.dumps([frame[2] for line in lines for frame in line["frames"] if frame[0] <= 43])
        pictures = "".join(text for ply, text in drawn(lines).items() if ply <= 43)
        for seat, words in own.items():
            known = looks == f"seat-{seat}"
            assert all((one.removeprefix("is dealt ") in told) == known for one in words), (looks, seat)
        assert ("Hand of seat" in pictures) == (looks != "public")


def test_what_is_sent_depends_on_the_view_alone(matches, web):
    """A bear that only its owner sees: the public's and the other seat's bytes hold no word of it until then."""
    number = matches.of_name["completed"]
    replay = Replay(golden("first_snow/golden/standard-2").text.encode().splitlines(keepends=True))
    bear = next(entry for entry in replay.entries if isinstance(entry, Ply) and entry.action.startswith("bear"))
    other = 1 - bear.actor
    for looks, knows in ((f"seat-{bear.actor}", True), (f"seat-{other}", False), ("public", False)):
        lines = sent(web, f"/matches/{number}/frames.json?ply=0&as={looks}")
        frame = next(frame for line in lines for frame in line["frames"] if frame[0] == bear.ply + 1)
        picture = drawn(lines)[bear.ply + 1]
        assert ("bear on" in picture) == knows
        assert ("sends the bear to card" in json.dumps(frame[2])) == knows


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/matches/{closed}/frames.json", 403),
        ("/matches/{closed}/replay", 403),
        ("/matches/99999/replay", 404),
        ("/matches/{five}/frames.json?as=seat-5", 422),
        ("/matches/{five}/replay?as=nobody", 422),
        ("/matches/{five}/replay?ply=-1", 422),
        ("/matches/x/replay", 422),
    ],
)
def test_what_is_not_there_or_closed_is_refused(matches, web, path, status):
    answer = web.fetch(path.format(**matches.of_name))
    assert answer.status == status


def test_the_page_of_a_closed_deal_says_no_more_than_who_plays(matches, web):
    text = web.fetch(f"/matches/{matches.of_name['closed']}/replay").text
    assert "is still being played" in text
    assert "rank 1" not in text
    assert "<svg xmlns" not in text


def test_a_ply_after_the_last_opens_the_last(matches, web):
    assert "110 / 110" in web.fetch(f"/matches/{matches.of_name['completed']}/replay?ply=999").text
