"""Views: what is in them, what never is, how they come back as states and as wire messages."""

import pytest

from arena.core import FastStream
from arena.core.errors import MalformedAction
from arena.games.first_snow import GAME
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.v1 import first_snow_pb2 as pb
from arena.games.first_snow.wire import read_resources, read_tools

VIEWERS = (0, 1, None)


def bytes_of(message):
    return message.SerializeToString(deterministic=True)


def told(state, seat):
    """Return the plies among the events of a view, as "actor: notation"."""
    from arena.games.first_snow.events import Ply
    from arena.games.first_snow.wire import HIDDEN_BEAR, read_event

    plies = [read_event(event) for event in GAME.view(state, seat).events]
    return [
        f"{ply.actor}: {'bear ?' if ply.action == HIDDEN_BEAR else GAME.actions.text_of(ply.action)}"
        for ply in plies
        if isinstance(ply, Ply)
    ]


def ordinary(state, seat):
    """A view made of messages, field by field, as nobody in a hurry would make it."""
    from arena.games.first_snow.components import CARDS
    from arena.games.first_snow.events import since
    from arena.games.first_snow.view import is_shown
    from arena.games.first_snow.wire import TOOL_LISTS, event_message, resources_message, stay_message

    bears = [(bear, seat == owner or is_shown(state, owner)) for owner, bear in enumerate(state.bears)]
    holdings = zip(state.scores, state.good, state.damaged, state.pools, strict=True)
    last = state.shown if seat is None else state.acted[seat]
    reasons = {"points": pb.REASON_POINTS, "lowest-camp": pb.REASON_LOWEST_CAMP}
    end = state.outcome
    return pb.View(
        seat=seat,
        phase=state.phase.value,
        round=state.round,
        to_act=state.to_act if state.to_act in {0, 1} else None,
        winter_cards=[card for card in CARDS if state.winter & 1 << (card - 1)],
        turn_order=state.order,
        taken_card=state.taken,
        landscape=state.row,
        camps=[pb.Camp(seat=camp.seat, card=camp.card, half=camp.half + 1) for camp in state.camps],
        bears=[pb.Bear(set=bear > 0, card=bear if known else 0) for bear, known in bears],
        attacked_card=state.camps[state.attacked].card if state.attacked >= 0 else 0,
        stay=None if state.stay is None else stay_message(state.stay),
        players=[
            pb.Player(
                score=score,
                good_tools=TOOL_LISTS[good],
                damaged_tools=TOOL_LISTS[damaged],
                resources=resources_message(pool),
            )
            for score, good, damaged, pool in holdings
        ],
        result=None if end is None else pb.Result(ranks=end.ranks, reason=reasons[end.reason]),
        events=[event_message(event, seat) for event in since(state.record, last)],
    )


def test_a_view_of_finished_bytes_is_the_one_made_of_messages(playout):
    for seed in range(8):
        for state in playout(seed):
            for viewer in VIEWERS:
                assert bytes_of(GAME.view(state, viewer)) == bytes_of(ordinary(state, viewer))


def test_every_field_of_a_view_is_compared_with_the_one_made_of_messages(playout):
    told = {field.name for seed in range(8) for state in playout(seed) for field, _ in ordinary(state, 0).ListFields()}
    assert told == {field.name for field in pb.View.DESCRIPTOR.fields}


def test_a_view_is_at_most_4_kb_always(playout):
    largest = 0
    for seed in range(25):
        for state in playout(seed):
            largest = max(largest, *(GAME.view(state, viewer).ByteSize() for viewer in VIEWERS))
    assert largest <= 4096


def test_a_sampled_state_shows_the_same_view_and_legal_actions(playout):
    stream = FastStream(9)
    for seed in range(8):
        for state in playout(seed):
            for viewer in VIEWERS:
                view = GAME.view(state, viewer)
                guess = GAME.sample(view, state.components, stream)
                assert bytes_of(GAME.view(guess, viewer)) == bytes_of(view)
                if viewer == state.to_act:
                    assert guess.legal_actions() == state.legal_actions()


def test_without_a_hidden_bear_the_sample_is_the_truth(playout):
    stream = FastStream(9)
    for state in playout(4):
        if state.phase in (Phase.FOOD, Phase.CRAFT, Phase.REPAIR, Phase.LEAVE, Phase.COOL, Phase.OVER):
            guess = GAME.sample(GAME.view(state, None), state.components, stream)
            for viewer in VIEWERS:
                now, then = GAME.view(guess, viewer), GAME.view(state, viewer)
                now.ClearField("events")
                then.ClearField("events")
                assert now == then


def test_a_turn_reads_back_as_view_and_legal_actions(playout):
    for state in playout(6):
        if state.to_act in (0, 1):
            view = GAME.view(state, state.to_act)
            data = bytes_of(GAME.turn(view, state.legal_actions()))
            assert GAME.parse_turn(data) == (view, state.legal_actions())


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff",
        pb.Turn(legal_actions=[pb.Action()]).SerializeToString(),
        pb.Turn(legal_actions=[pb.Action(take_card=pb.TakeCard(card=9))]).SerializeToString(),
    ],
)
def test_what_is_no_turn_is_refused(data):
    with pytest.raises(MalformedAction):
        GAME.parse_turn(data)


def test_events_begin_with_the_seats_last_ply(table, lay):
    state = lay(table(bears=(6, 5)), "start 3 left")
    assert told(state, 1) == ["1: bear 5", "0: take 3", "0: place start, camp left"]
    lay(state, "right 4 right")
    assert told(state, 1) == ["1: place right, camp right"]
    assert told(state, 0) == ["0: place start, camp left", "1: take 4", "1: place right, camp right"]


def test_the_public_sees_the_last_ply(table, lay):
    assert told(lay(table(bears=(6, 5)), "start 3 left"), None) == ["0: place start, camp left"]


def test_only_its_own_seat_sees_where_a_bear_is_set(table):
    state = table(bears=(6, 5))
    assert told(state, 0) == ["0: bear 6", "1: bear ?"]
    assert told(state, 1) == ["1: bear 5"]
    assert told(state, None) == ["1: bear ?"]


def test_a_forced_ply_is_one_of_the_seats_plies(stay, do):
    state = stay(6, 2, night=False, winter=(2, 6), carries="5 stone", then=(6, 4))
    assert state.phase is Phase.LEAVE
    assert told(do(state, "leave stone"), 0) == ["0: leave stone"]


def test_the_events_a_seat_is_shown_in_turn_make_up_the_whole_game(playout):
    from arena.games.first_snow.events import since
    from arena.games.first_snow.wire import event_message

    for seat in (0, 1):
        shown = []
        last = None
        for state in playout(8):
            last = state
            if state.to_act == seat:
                shown += GAME.view(state, seat).events
        shown += GAME.view(last, seat).events
        assert shown == [event_message(event, seat) for event in since(last.record, None)]


def test_events_of_two_kinds_with_equal_numbers_stay_apart():
    from arena.games.first_snow.events import Bonus, Encounter
    from arena.games.first_snow.wire import event_bytes

    met, bonus = (pb.View.FromString(event_bytes(event, 0)).events[0] for event in (Encounter(0, 5), Bonus(0, 5)))
    assert (met.encounter.card, bonus.bonus.points) == (5, 5)


def test_a_view_tells_the_result_with_its_reason(playout):
    *_, last = playout(1)
    view = GAME.view(last, 0)
    assert [*view.result.ranks] == [*last.outcome.ranks]
    assert view.result.reason in (pb.REASON_POINTS, pb.REASON_LOWEST_CAMP)
    assert not view.HasField("to_act")


def test_inventories_and_scores_are_open_to_everybody(playout):
    for state in playout(3):
        for viewer in VIEWERS:
            players = GAME.view(state, viewer).players
            assert tuple(player.score for player in players) == state.scores
            assert tuple(read_resources(player.resources) for player in players) == state.pools
            assert tuple(read_tools([*player.good_tools]) for player in players) == state.good
            assert tuple(read_tools([*player.damaged_tools]) for player in players) == state.damaged
