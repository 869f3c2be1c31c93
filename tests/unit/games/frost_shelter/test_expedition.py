"""What seats on Expedition may pick, and when."""

from arena.games.frost_shelter.phases import Phase


def on_expedition(table, pool="food 1 2 3"):
    state = table.state(3, hands=["fuel 1 3", "fuel 2 4", "fuel 5 6"], pool=pool, leader=1)
    return table.do(state, "play fuel 2", "expedition fuel 5", "expedition fuel 1", "take fuel 2", "take fuel 1")


def test_picks_come_after_the_winner_has_taken_and_may_be_this_trick_s_leftovers(table):
    state = on_expedition(table, pool="food 3")
    assert state.phase is Phase.EXPEDITION
    assert table.legal(state) == ["take fuel 5", "take food 3", "decline"]


def test_pickers_act_clockwise_from_the_leader_of_the_trick_whoever_won_it(table):
    state = table.state(4, hands=["food 1 2", "fuel 2 4", "fuel 3 9", "tools 1 2"], leader=1)
    table.do(state, "play fuel 2", "play fuel 9", "expedition tools 1", "expedition food 1")
    table.do(state, "take fuel 2", "take fuel 9")
    assert (state.winner, state.to_act) == (2, 3)
    table.do(state, "take food 1", "decline")
    assert state.to_act == 0
    table.do(state, "take tools 1")
    assert state.colonies == [table.cards("tools 1"), 0, table.cards("fuel 2 9"), table.cards("food 1")]


def test_a_picker_takes_two_cards_at_most(table):
    state = table.do(on_expedition(table), "take food 1", "take food 2")
    assert state.colonies[2] == table.cards("food 1 2")
    assert state.to_act == 0


def test_a_picker_may_take_none_or_stop_after_one(table):
    state = table.do(on_expedition(table), "decline", "take food 3", "decline")
    assert state.colonies[2] == 0
    assert state.colonies[0] == table.cards("food 3")
    assert state.phase is Phase.PLAY


def test_with_an_empty_pool_nobody_is_asked(table):
    state = table.do(on_expedition(table, pool=""), "take fuel 5")
    assert state.pool == 0
    assert state.phase is Phase.PLAY


def test_the_winner_leads_the_next_trick_after_the_picks(table):
    state = table.do(on_expedition(table), "decline", "decline")
    assert (state.to_act, state.trick) == (1, ())


def test_the_expedition_is_available_again_in_the_next_event(walked, seats):
    for state in walked(seats, 1):
        if state.phase is Phase.DEAL:
            assert state.expeditions == 0


def test_the_pool_is_emptied_when_the_event_ends(walked, seats):
    for state in walked(seats, 1):
        if state.phase is Phase.EVENT:
            assert state.pool == 0


def test_lists_of_cards_to_take_have_at_most_17_entries(walked):
    most = max(
        len(s.legal_actions())
        for seed in range(12)
        for s in walked(4, seed)
        if s.phase in (Phase.TAKE, Phase.EXPEDITION)
    )
    assert most <= 17
