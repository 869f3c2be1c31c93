from icefall.v1 import icefall_pb2

from arena.cli.eventtext import event_text
from arena.games.first_snow.v1 import first_snow_pb2


def test_a_flat_event_is_its_fields_in_words() -> None:
    event = icefall_pb2.Event(kind=icefall_pb2.EVENT_KIND_CLIMBED, seat=0, value=2)
    assert event_text(event) == "kind climbed, seat 0, value 2"


def test_the_part_that_is_set_of_a_nested_event_is_told() -> None:
    action = first_snow_pb2.Action(take_card=first_snow_pb2.TakeCard(card=3))
    event = first_snow_pb2.Event(ply=first_snow_pb2.Ply(seat=1, action=action))
    assert event_text(event) == "ply: seat 1, action: take card: card 3"


def test_lists_are_told_and_empty_ones_left_out() -> None:
    wear = first_snow_pb2.Wear(seat=0, damaged=[first_snow_pb2.TOOL_NET, first_snow_pb2.TOOL_AXE])
    assert event_text(first_snow_pb2.Event(wear=wear)) == "wear: seat 0, damaged net axe"
