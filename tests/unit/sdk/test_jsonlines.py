"""Messages as JSON for programs that read lines."""

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.struct_pb2 import Struct
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value

from arena.games.first_snow.v1 import first_snow_pb2
from arena.v1 import play_pb2
from bots.sdk.jsonlines import to_json, to_line


def test_a_number_of_64_bits_is_a_number() -> None:
    assert to_line(to_json(Int64Value(value=2**62))) == b'{"value":4611686018427387904}\n'


def test_an_enum_is_its_name_and_an_unknown_one_its_number() -> None:
    assert to_json(first_snow_pb2.Camp(seat=1, half=first_snow_pb2.HALF_LEFT))["half"] == "HALF_LEFT"
    strange = first_snow_pb2.Camp.FromString(b"\x18\x63")
    assert to_json(strange)["half"] == 99


def test_a_field_that_is_absent_is_left_out_and_one_that_is_nothing_stands() -> None:
    view = to_json(first_snow_pb2.View(to_act=0))
    assert (view["to_act"], view["round"], view["camps"]) == (0, 0, [])
    assert "seat" not in view
    assert "stay" not in view


def test_of_a_oneof_only_the_member_that_is_set_stands() -> None:
    assert to_json(play_pb2.PlayRequest(answer=play_pb2.Answer(ply=3))) == {"answer": {"ply": 3, "action": 0}}


def test_an_any_is_the_message_it_holds() -> None:
    packed = AnyMessage()
    packed.Pack(first_snow_pb2.Camp(seat=1))
    assert to_json(play_pb2.Turn(ply=1, body=packed))["body"]["seat"] == 1


def test_maps_and_bytes_have_a_place_too() -> None:
    fields = Struct()
    fields.update({"b": 1, "a": True})
    assert list(to_json(fields)["fields"]) == ["a", "b"]
    assert to_json(BytesValue(value=b"snow")) == {"value": "c25vdw=="}


def test_a_line_is_ascii_and_has_one_break() -> None:
    line = to_line({"words": "Würfel\n "})
    assert line.isascii()
    assert line.count(b"\n") == 1
