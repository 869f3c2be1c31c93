"""The numbered list of choices."""

from arena.cli.human.menu import Menu

CHOICES = [f"plays card {number}" for number in range(1, 31)]


def test_choices_are_numbered_from_one_in_the_order_given() -> None:
    assert Menu(["stay", "go"]).lines(20, 10) == ["1  stay", "2  go"]


def test_choices_stand_in_columns_read_downwards_where_there_is_room() -> None:
    assert Menu(list("abcdefg")).lines(14, 10) == ["1  a   5  e", "2  b   6  f", "3  c   7  g", "4  d"]


def test_a_few_choices_stand_below_each_other() -> None:
    assert Menu(["a", "b", "c"]).lines(80, 10) == ["1  a", "2  b", "3  c"]


def test_no_line_is_wider_than_the_room() -> None:
    for width in (20, 37, 57, 80, 140):
        assert max(len(line) for line in Menu(CHOICES).lines(width, 40)) <= width


def test_a_list_longer_than_the_room_has_pages() -> None:
    menu = Menu(CHOICES)
    first = menu.lines(20, 12)
    assert first[0] == " 1  plays card 1"
    assert first[-1].startswith("(page 1 of 3;")
    assert len(first) == 13
    menu.turn_page(20, 12)
    assert menu.lines(20, 12)[0] == "13  plays card 13"


def test_every_choice_stands_on_one_page() -> None:
    menu = Menu(CHOICES)
    seen: list[str] = []
    for _ in range(3):
        seen += menu.lines(40, 6)[:-1]
        menu.turn_page(40, 6)
    shown = [cell.strip() for line in seen for cell in line.split("   ") if cell.strip()]
    assert sorted(shown) == sorted(f"{number}  plays card {number}" for number in range(1, 31))


def test_after_the_last_page_comes_the_first() -> None:
    menu = Menu(CHOICES)
    for _ in range(3):
        menu.turn_page(20, 12)
    assert menu.lines(20, 12)[0] == " 1  plays card 1"


def test_words_narrow_the_list_without_new_numbers() -> None:
    menu = Menu(["plays fuel 1", "plays water 1", "plays fuel 2"])
    assert menu.narrow("FUEL 2")
    assert menu.lines(80, 10) == ["3  plays fuel 2", "(1 of 3 with 'FUEL 2'; Enter shows all)"]


def test_words_that_nothing_has_leave_the_list_as_it_is() -> None:
    menu = Menu(["stay", "go"])
    assert not menu.narrow("fly")
    assert menu.lines(20, 10) == ["1  stay", "2  go"]


def test_a_number_leads_to_its_choice_also_when_it_is_not_shown() -> None:
    menu = Menu(["stay", "go"])
    menu.narrow("stay")
    assert menu.index_of(2) == 1
    assert menu.index_of(0) is None
    assert menu.index_of(3) is None
