from arena.api.plain import with_paired
from arena.cli.solo import difference, show_paired
from arena.v1 import solo_pb2 as pb

PAIR = pb.PairedDifference(
    bot="ann",
    version=1,
    other_bot="bob",
    other_version=2,
    deals=8,
    left_out=1,
    won=pb.Difference(mean=0.5, low=0.1, high=0.9),
    score=pb.Difference(mean=-2.25),
)


def test_a_difference_is_shown_with_its_interval():
    assert difference(PAIR.won, "+.1%") == "+50.0% (+10.0% to +90.0%)"


def test_a_difference_of_one_deal_is_shown_alone():
    assert difference(PAIR.score, "+.2f") == "-2.25"


def test_the_table_names_both_bots_and_what_is_left_out(capsys):
    show_paired([PAIR])
    out = capsys.readouterr().out
    assert "ann@1 - bob@2" in out
    assert "+50.0%" in out
    assert "left out" in out


def test_nothing_is_printed_where_nobody_plays_alone(capsys):
    show_paired([])
    assert capsys.readouterr().out == ""


def test_json_carries_a_comparison_in_the_line_of_its_first_bot():
    lines = with_paired([{"bot": "ann", "version": 1}, {"bot": "bob", "version": 2}], [PAIR])
    assert lines[0]["paired"][0]["other_bot"] == "bob"
    assert "paired" not in lines[1]
