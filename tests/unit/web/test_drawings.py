"""Pictures of figures: well-formed, without style of their own, and true to the numbers."""

import math
import re
from xml.etree import ElementTree

import pytest

from arena.ladder.stats import Estimate
from arena.web.drawings import MOST_POINTS, Line, bars, chart, error_bar, progress, sparkline

PICTURES = {
    "sparkline": sparkline([1.0, 2.5, 2.0]),
    "chart": chart([Line("a@1", [25.0, 27.0, 26.0], [9.0, 6.0, 4.0]), Line("a@2", [25.0], [9.0])]),
    "error bar": error_bar(Estimate(0.6, 0.4, 0.8)),
    "error bar without an interval": error_bar(Estimate(0.6, -math.inf, math.inf)),
    "bars": bars([3, 9, 0], [1, 4, 0]),
    "progress": progress((("done", 3), ("now", 1)), 8),
    "progress of nothing": progress((("done", 0),), 0),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_well_formed_and_leaves_colours_to_the_stylesheet(picture):
    ElementTree.fromstring(picture)  # noqa: S314 - made by us
    assert not re.search(r"style|<script|nan|inf|fill=|href", picture)


def test_a_line_of_one_point_is_no_trend():
    assert sparkline([3.0]) == ""
    assert chart([]) == ""
    assert bars([]) == ""


def test_a_sparkline_rises_where_the_score_does():
    points = re.search(r'points="([^"]+)"', sparkline([1.0, 2.0, 4.0]))[1].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert heights == sorted(heights, reverse=True)


def test_a_long_history_is_drawn_with_a_bounded_number_of_points():
    picture = chart([Line("a@1", [25 + math.sin(n) for n in range(10_000)], [3.0] * 10_000)])
    line = re.search(r'class="line" d="([^"]+)"', picture)[1]
    assert line.count("L") <= MOST_POINTS + 1
    assert ">10000</text>" in picture


def test_a_chart_begins_with_the_first_match_and_shows_a_single_one():
    many, one = (chart([Line("a@1", [25.0] * number, [9.0] * number)]) for number in (3, 1))
    starts = re.search(r'class="line" d="M([\d.]+) ', many)[1], re.search(r'class="whisker" d="M([\d.]+) ', one)[1]
    assert starts[0] == starts[1]
    assert 'class="dot"' in one


def test_the_interval_of_an_error_bar_encloses_its_mean():
    picture = error_bar(Estimate(0.75, 0.5, 0.9))
    low, high = (float(x) for x in re.search(r'whisker" d="M([\d.]+) .*M([\d.]+) 8V20"', picture).groups())
    assert low < float(re.search(r'cx="([\d.]+)"', picture)[1]) < high
    assert low == pytest.approx(120)


def test_progress_is_as_long_as_what_is_done():
    widths = [
        float(width)
        for width in re.findall(r'class="(?:done|now)"[^>]*width="([\d.]+)"', progress((("done", 3), ("now", 1)), 8))
    ]
    assert widths == [37.5, 12.5]
