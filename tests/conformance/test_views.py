"""What every game promises about its views: one deterministic, small message, and drawings of it."""

from xml.etree import ElementTree

import pytest
from google.protobuf.descriptor import FieldDescriptor

from arena.core import CHANCE
from arena.core.game import DrawsAll

LARGEST_VIEW = 4096
FLOATS = (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE)


def serialised(message):
    return message.SerializeToString(deterministic=True)


def fields(descriptor, seen):
    if descriptor.full_name in seen:
        return
    seen.add(descriptor.full_name)
    for field in descriptor.fields:
        yield field
        if field.message_type is not None:
            yield from fields(field.message_type, seen)


def test_a_turn_has_no_maps_and_no_floats(case):
    at = next(at for at in case.all_positions() if at.state.to_act not in (None, CHANCE))
    turn = case.game.turn(case.game.view(at.state, at.state.to_act), at.state.legal_actions())
    names = {field.name for field in turn.DESCRIPTOR.fields}
    assert {"view", "legal_actions"} <= names
    for field in fields(turn.DESCRIPTOR, set()):
        assert field.type not in FLOATS, field.full_name
        assert field.message_type is None or not field.message_type.GetOptions().map_entry, field.full_name


def test_a_view_carries_events(case):
    some = 0
    for at in case.all_positions(walks=1, at_most=30):
        for viewer in case.viewers:
            some += len(case.game.view(at.state, viewer).events)
    assert some, f"{case}: no view ever told an event"


def test_what_happened_is_told_in_plain_lines_and_only_from_the_view(case):
    for at in case.all_positions(walks=1, at_most=40):
        for viewer in case.viewers:
            view = case.game.view(at.state, viewer)
            lines = case.game.story(view, case.components)
            assert bool(lines) == bool(view.events), f"{at.where}, viewer {viewer}: {lines}"
            for line in lines:
                assert line.strip() == line != "", f"{at.where}, viewer {viewer}: {line!r}"
                assert "\n" not in line, f"{at.where}, viewer {viewer}: {line!r}"


def test_a_view_is_small_and_its_bytes_are_deterministic(case):
    for at in case.all_positions(walks=2, at_most=100):
        twin = at.state.copy()
        for viewer in case.viewers:
            data = serialised(case.game.view(at.state, viewer))
            assert len(data) <= LARGEST_VIEW, f"{at.where}: {len(data)} bytes for {viewer}"
            assert serialised(case.game.view(twin, viewer)) == data, f"{at.where}, viewer {viewer}"


@pytest.mark.parametrize("width", [80, 140])
def test_a_drawing_in_text_keeps_its_width(case, width):
    for at in case.all_positions(walks=2, at_most=12):
        for viewer in case.viewers:
            text = case.game.render_text(case.game.view(at.state, viewer), case.components, width)
            assert len(text.strip().splitlines()) >= 3, f"{at.where}, viewer {viewer}: hardly a drawing: {text!r}"
            wide = [line for line in text.splitlines() if len(line) > width]
            assert not wide, f"{at.where}, viewer {viewer}: wider than {width}: {wide[0]!r}"
            assert "\x1b" not in text, f"{at.where}: terminal codes in a drawing"


def test_a_drawing_in_svg_is_one_well_formed_document(case):
    for at in case.all_positions(walks=2, at_most=8):
        for viewer in case.viewers:
            svg = case.game.render_svg(case.game.view(at.state, viewer), case.components)
            root = ElementTree.fromstring(svg)  # noqa: S314 - our own drawing
            assert root.tag == "{http://www.w3.org/2000/svg}svg", f"{at.where}, viewer {viewer}"
            _check_tame(root, at.where)


def test_a_drawing_of_what_all_seats_know_is_as_tame_as_the_others(case):
    if not isinstance(case.game, DrawsAll):
        return
    for at in case.all_positions(walks=2, at_most=8):
        shown = [case.game.view(at.state, seat) for seat in case.viewers if seat is not None]
        _check_tame(ElementTree.fromstring(case.game.render_all(shown, case.components)), at.where)  # noqa: S314 - ours


def _check_tame(root, where):
    """A page shows a drawing as part of itself, under a policy without styles, scripts and foreign addresses."""
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        assert name not in {"script", "style", "foreignObject", "image", "a", "use"}, f"{where}: <{name}>"
        loud = [key for key in element.attrib if key in {"style", "class", "id", "href"} or key.startswith("on")]
        assert not loud, f"{where}: <{name}> with {loud}"
