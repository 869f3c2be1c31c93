"""Greedy alone in Snowblind: what it does in positions that ask for one thing, and how often it wins."""

from dataclasses import replace

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME
from arena.games.snowblind.components import Die
from arena.games.snowblind.state import BACK, CRATES, DICE, FACTS, HAND, RESEARCH, TO_POLE, Phase
from bots.builtin.greedy import snowblind, snowblind_chance
from bots.builtin.greedy.snowblind_chance import Season, chance

START = Season(ship=1, target=0, left=5, six=0, eight=0, reds=3, yellow=True)


def best(state):
    """Return the action after which Greedy sees itself best off."""

    def worth(action):
        after = state.copy()
        after.apply(action)
        return snowblind.evaluate(after, 0)

    return max(state.legal_actions(), key=worth)


def text(state):
    return GAME.actions.text_of(best(state))


def play_round(at):
    """Let Greedy play the round with every die showing a 1; returns what it did."""
    done, number = [], at.state.round
    while at.state.round == number and at.state.phase is not Phase.WEATHER and at.state.to_act is not None:
        if at.state.to_act is CHANCE:
            at.roll(1)
        else:
            done.append(text(at.state))
            at.state.apply(best(at.state))
    return done


def play(variant, seed):
    """Return whether Greedy wins this deal."""
    stream, state = FastStream(seed), GAME.new(variant, 1, GAME.components(None, ""))
    while state.to_act is not None:
        state.apply(GAME.draw(state, stream) if state.to_act is CHANCE else best(state))
    return state.outcome.ranks == (1,)


# The plan


def test_crates_and_company_come_to_the_captain_before_he_leaves(table):
    at = table("solo", 1)
    done = play_round(at)
    assert not any("captain" in action for action in done)
    place = at.state.start(0, 2)
    assert at.state.track[place + CRATES] >= 7
    assert sum(at.state.track[place : place + 3]) >= 2


def test_the_captain_marches_north_with_company_and_crates(table):
    at = table("solo", 1).lay(0, z1="11 crate", z2="C YBB 9 crate")
    at.state.round, at.state.drawn = 2, (2,)
    done = play_round(at)
    assert "move captain 2 to 3" in done
    place = at.state.start(0, 3)
    assert at.state.track[place + CRATES] >= 3
    assert sum(at.state.track[place : place + 3]) >= 2


def test_the_captain_turns_home_from_the_pole_at_once(table):
    at = table("solo", 1).lay(0, z1="9 crate", z4="YB 2 crate", z5="B 2 crate", z6="C 2 crate").fact(0, TO_POLE, 1)
    at.state.round, at.state.drawn = 5, (2, 3, 4, 5)
    assert play_round(at)[1] == "move captain 6 to 5"


def test_the_captain_goes_for_the_pole_while_there_is_time_to_come_back(table):
    at = table("solo", 1).lay(0, z1="9 crate", z4="B 2 crate", z5="C YB 5 crate")
    at.state.round, at.state.drawn = 5, (2, 3, 4, 5)
    assert "move captain 5 to 6" in play_round(at)


def test_the_captain_comes_home_in_the_last_round(table):
    at = table("solo", 1).lay(0, z1="9 crate", z4="C 2 crate").fact(0, TO_POLE, 1)
    at.state.round, at.state.drawn = 6, (2, 3, 4, 5, 6)
    play_round(at)
    assert at.get(BACK)


def test_a_captain_one_step_from_home_goes_home(table):
    at = table("solo", 1).lay(0, flag=6, z1="B 9 crate", z2="C 3 crate").fact(0, TO_POLE, 1)
    assert text(at.state).startswith(("take red", "take grey-d8"))
    at.play("take red-d6")
    assert text(at.state) == "move captain 2 to 1"


def test_a_won_game_is_left_as_it_is(table):
    at = table("solo", 1).lay(0, flag=6, z1="CYBB 9 crate").fact(0, TO_POLE, 1).fact(0, BACK, 1)
    assert text(at.state) == "pass"


# Dangers


def test_a_dangerous_pool_is_left_alone(table):
    at = table("solo", 1).lay(0, z1="Y 9 crate", z4="CB 2 crate")
    at.pool("red-d6", "red-d6", "yellow-d6", "yellow-d6", "blue-d6", "blue-d6", "yellow-d8", "blue-d8", "grey-d8")
    assert sum(at.state.dice[DICE:]) == 9
    assert text(at.state) == "pass"


def test_a_captain_who_lies_among_crates_is_revived_to_go_on(table):
    at = table("solo", 1).lay(0, z1="9 crate", z4="c B 3 crate").fact(0, TO_POLE, 1).fact(0, HAND, 0)
    at.state.round, at.state.drawn = 5, (2, 3, 4, 5)
    done = play_round(at)
    assert any("revive captain 4" in action for action in done)
    assert "move captain 4 to 3" in done


def test_the_only_camp_is_placed_where_the_captain_is(table):
    at = table("solo", 1).lay(0, z1="YB 17 crate", z2="C B 6 crate 1 food").play("take grey-d8 camp")
    assert text(at.state) == "camp 2"


def test_food_is_spent_before_crates_as_it_cannot_be_carried(table):
    at = (
        table("solo", 1)
        .lay(0, z1="9 crate", z2="C B 4 crate 2 food")
        .play("take blue-d6", "move sailor 2 to 1", "load 0")
    )
    at.lay(0, z1="B 9 crate 2 food", z2="C 4 crate").roll(6)
    assert at.state.phase is Phase.LOSS
    assert text(at.state) == "spend food"


def test_the_captain_is_the_last_to_be_exhausted(table):
    at = table("solo", 1).lay(0, z1="9 crate", z4="C Y B").play("take red-d6", "move captain 4 to 5")
    at.lay(0, z1="9 crate", z5="C Y B").roll(6)
    assert text(at.state) in {"exhaust scientist", "exhaust sailor"}


# Research


def test_the_token_is_fetched_before_the_round_ends_when_there_is_no_other_chance(table):
    at = table("solo-whiteout", 1).lay(0, z1="YB 9 crate", z2="C 9 crate B")
    at.pool("red-d6", "red-d8", "blue-d6", "grey-d8")
    assert "take yellow-d8" in play_round(at)


def test_every_round_of_a_whiteout_brings_a_token(table):
    at = table("solo-whiteout", 1)
    for number in range(1, 7):
        play_round(at)
        assert at.get(RESEARCH) == number
        at.state.apply(at.state.legal_actions()[0])
        while at.state.round == number and at.state.to_act is not None:
            at.state.apply(best(at.state))


def test_a_scientist_is_spared_for_the_tokens(table):
    at = table("solo-whiteout", 1).lay(0, z2="C Y B").play("take blue-d6", "move sailor 2 to 1")
    at.lay(0, z1="Y B", z2="C").roll(6)
    assert text(at.state) == "exhaust sailor"


# The tables


def track(table, **zones):
    return table("solo", 1).lay(0, **zones).state.track


def facts(**values):
    names = {"hand": HAND, "pole": TO_POLE, "back": BACK, "research": RESEARCH}
    found = bytearray(FACTS)
    for name, value in values.items():
        found[names[name]] = value
    return found


def test_the_tables_have_a_number_for_every_case():
    assert [len(row) for row in snowblind_chance.TIMETABLE] == [6] * 10
    assert [len(row) for row in snowblind_chance.SUPPLIES] == [9] * 10
    assert [len(row) for row in snowblind_chance.RESEARCH_ODDS["urgent"]] == [5] * 9


def test_more_supplies_with_the_captain_are_a_better_chance(table):
    chances = [chance(track(table, z1="B 9 crate", z4=f"C B {many} crate"), facts(), START) for many in (1, 3, 5)]
    assert chances == sorted(chances)


def test_fewer_rounds_are_a_worse_chance(table):
    lay = track(table, z1="B 9 crate", z4="C B 4 crate")
    chances = [chance(lay, facts(), START._replace(left=left)) for left in (3, 2, 1, 0)]
    assert chances == sorted(chances, reverse=True)


def test_a_captain_who_is_back_with_all_tokens_has_won(table):
    assert chance(track(table, z1="C Y"), facts(back=1, research=2), START._replace(target=2)) == 1.0


def test_tokens_that_can_no_longer_be_had_are_a_lost_game(table):
    lay = track(table, z1="C Y 9 crate")
    assert chance(lay, facts(back=1), START._replace(target=3, left=2, yellow=False)) == 0.0
    assert chance(lay, facts(back=1), START._replace(target=3, left=2, yellow=True)) > 0.0


def test_a_longer_season_than_the_tables_know_is_played_too():
    own = GAME.components(None, "")
    numbers = replace(
        own,
        solo_cards=(2, 2, 3, 3, 4, 4, 5, 6),
        dice=tuple(many + (die is Die.RED_D6) for die, many in zip(Die, own.dice, strict=True)),
    )
    stream, state = FastStream(1), GAME.new("solo", 1, numbers)
    while state.to_act is not None:
        state.apply(GAME.draw(state, stream) if state.to_act is CHANCE else best(state))
    assert state.outcome is not None


# How often it wins


def test_of_eight_solo_games_six_are_won():
    assert sum(play("solo", seed) for seed in range(8)) >= 6


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("variant", "percent"), [("solo", 95), ("solo-hard", 80), ("solo-blizzard", 75), ("solo-whiteout", 60)]
)
def test_of_500_deals_at_least_so_many_in_a_hundred_are_won(variant, percent):
    """These deals were no part of what the tables were learned from."""
    won = sum(play(variant, 50_000 + number) for number in range(500))
    assert won >= 5 * percent
