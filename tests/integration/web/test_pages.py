"""What the pages show, and that they show it whatever names, reasons and output say."""

import csv
import io
import json
import re
import zipfile
from urllib.parse import quote

import pytest
from playing import finished
from sqlalchemy import update
from webbing import serving
from webseason import season

from arena.services import tournaments
from arena.services.results import SeatOutput
from arena.store import open_store
from arena.store.tables import bots, matches, versions
from arena.web.site import Site
from arena.web.text import csv_lines

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202egnp.exe\u2066\x1b[2J\x00\x07{{7*7}}&amp;%0a"
    + "x" * 10_000
)


@pytest.fixture(scope="module")
def cookie(web, played):
    return {name: web.sign_in(secret) for name, secret in played.secrets.items()}


def cells(text: str, label: str) -> list[str]:
    """The cells of one column of a page's tables, as text."""
    found = re.findall(rf'data-label="{re.escape(label)}"[^>]*>(.*?)</td>', text, flags=re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in found]


def bots_of(text: str) -> list[str]:
    return re.findall(r'<th role="rowheader" scope="row" class="bot"><a href="/bots/(\w+)"', text)


def test_the_front_page_says_what_to_do_who_leads_and_what_is_played(web):
    text = web.fetch("/").text
    for said in (
        "arena new my_bot",
        "arena submit",
        "Play against a bot",
        "Watch replays",
        "/bots/aurora",
        "First Snow",
        "Frost Shelter",
        "Snowblind",
        "night-league",
    ):
        assert said in text


def test_a_leaderboard_has_every_column_and_is_sorted_by_place(web):
    text = web.fetch("/leaderboards/1").text
    assert bots_of(text)[0] in {"aurora", "borealis"}
    places = [int(place) for place in cells(text, "Place")]
    assert places == sorted(places) == list(range(1, 7))
    for label in ("Rank", "Author", "Score", "μ", "σ", "Matches", "Mean rank", "Forfeits", "Think", "Trend"):
        assert len(cells(text, label)) == 6
    assert any("pending" in cell for cell in cells(text, "Matches"))
    assert re.fullmatch(r"\d(–\d)?", cells(text, "Rank")[0])
    assert "What the columns mean" in text


def test_a_score_is_marked_while_it_is_provisional(web):
    shown = web.fetch("/leaderboards/2").text
    assert all(cell.endswith("?") for cell in cells(shown, "Score"))


@pytest.mark.parametrize(
    "column", ["rank", "bot", "author", "score", "mu", "sigma", "matches", "mean_rank", "forfeits", "think"]
)
def test_a_leaderboard_can_be_sorted_by_every_column_both_ways(web, column):
    down, up = (bots_of(web.fetch(f"/leaderboards/1?sort={column}&down={way}").text) for way in (1, 0))
    assert sorted(down) == sorted(up)
    assert 'aria-sort="descending"' in web.fetch(f"/leaderboards/1?sort={column}&down=1").text
    if column in {"bot", "score", "mu"}:
        assert down == up[::-1]


def test_a_leaderboard_can_be_filtered_by_bot_and_author(web):
    assert set(bots_of(web.fetch("/leaderboards/1?find=BOB").text)) == {"borealis", "drift", "floe"}
    assert bots_of(web.fetch("/leaderboards/1?find=emb").text) == ["ember"]
    assert "No bot or author" in web.fetch("/leaderboards/1?find=nobody").text


def test_a_leaderboard_is_given_as_json_and_csv_with_the_same_figures(web):
    whole = json.loads(web.fetch("/leaderboards/1.json").body)
    rows = list(csv.DictReader(io.StringIO(web.fetch("/leaderboards/1.csv").text)))
    assert whole["pool"]["game"] == "first-snow"
    assert [row["bot"] for row in rows] == [each["bot"] for each in whole["ratings"]]
    first = whole["ratings"][0]
    assert first["score"] == pytest.approx(first["mu"] - 3 * first["sigma"]) == pytest.approx(float(rows[0]["score"]))
    assert 1 <= first["first_rank"] <= first["last_rank"] <= 6


def test_a_bots_page_tells_its_versions_history_and_opponents(web):
    text = web.fetch("/bots/aurora").text
    assert text.count('<svg class="chart"') == 3
    assert "left out" in text
    assert {"borealis", "drift"} <= set(re.findall(r"other=(\w+)", text))
    assert "aurora@1" in text
    history = json.loads(web.fetch("/bots/aurora/history.json").body)["changes"]
    assert len(history) == len(list(csv.DictReader(io.StringIO(web.fetch("/bots/aurora/history.csv").text))))
    assert {change["bot"] for change in history} == {"aurora"}


def test_two_bots_are_compared_with_an_error_bar(web):
    text = web.fetch("/versus?one=aurora&other=floe").text
    assert '<svg class="error-bar"' in text
    assert "95 % interval" in text
    assert re.search(r"of the points for", text)
    found = json.loads(web.fetch("/versus.json?one=aurora&other=floe").body)
    assert found[0]["blocks"] == 3
    assert len(cells(text, "Points for the first")) >= 3


def test_bots_that_never_met_are_told_so(web, played):
    played.world.submit("hermit")
    assert "no common block" in web.fetch("/versus?one=aurora&other=hermit").text


def test_a_tournaments_page_tells_progress_standings_matrix_and_schedule(web):
    text = web.fetch("/tournaments/winter-cup").text
    assert ", over <time" in text
    assert "90 matches of 90 finished" in text
    assert cells(text, "Played") == ["30"] * 6
    assert re.search(r'class="ahead"><a href="/versus\?one=aurora@1&amp;other=floe@1">\d', text)
    assert 'href="/tournaments/winter-cup?after=' in text
    assert "export.zip" in text


def test_what_counts_for_a_table_is_told_where_deals_are_closed(web):
    text = web.fetch("/tournaments/night-league").text
    assert ", over " not in text
    assert re.search(r"\d+ more matches are\s+over and count when their deal is", text)
    ends = cells(text, "End")
    assert ends[:2] == ["running", "played, deal closed"]
    assert "completed" in ends


def test_exports_are_those_of_the_command_line(web):
    whole = json.loads(web.fetch("/tournaments/winter-cup/export.json").body)
    assert (whole["tournament"]["name"], len(whole["matches"]), len(whole["entrants"])) == ("winter-cup", 90, 6)
    assert len(web.fetch("/tournaments/winter-cup/export.csv").text.splitlines()) == 1 + 2 * 90
    with zipfile.ZipFile(io.BytesIO(web.fetch("/tournaments/winter-cup/export.zip").body)) as archive:
        assert {"tournament.json", "matches.csv", "matches.pgn", "proof.json", "logs/1.jsonl"} < set(archive.namelist())
        assert archive.read("tournament.json").decode() == web.fetch("/tournaments/winter-cup/export.json").text


def test_an_organiser_pauses_resumes_and_withdraws(web, cookie, played):
    page = "/tournaments/night-league"
    assert "Pause</button>" not in web.fetch(page, cookie=cookie["ann"]).text
    assert "Pause</button>" in web.fetch(page, cookie=cookie["olga"]).text
    web.send(f"{page}/pause", cookie["olga"])
    assert "Resume</button>" in web.fetch(page, cookie=cookie["olga"]).text
    web.send(f"{page}/resume", cookie["olga"])
    assert web.send(f"{page}/withdraw", cookie["bob"], bot="crevasse@1").status == 403
    assert web.send(f"{page}/withdraw", cookie["bob"], bot="drift@1").status == 303
    assert "withdrawn" in web.fetch(page).text
    assert [one.bot for one in tournaments.entrants(played.world.store, "night-league") if one.withdrawn] == ["drift"]


def test_an_author_sees_submissions_with_their_checks(web, cookie):
    text = web.fetch("/me", cookie=cookie["ann"]).text
    assert set(re.findall(r'href="/bots/(\w+)/versions/1"', text)) == {"aurora", "crevasse", "ember"}
    shown = web.fetch("/bots/aurora/versions/1", cookie=cookie["ann"])
    assert "bot.toml" in shown.text
    assert "bot.toml" not in web.fetch("/bots/aurora/versions/1", cookie=cookie["bob"]).text


def test_matches_are_listed_by_tournament_bot_game_and_state(web):
    def listed(query: str) -> set[str]:
        return set(re.findall(r'<a href="/matches/(\d+)"', web.fetch(f"/matches?{query}").text))

    assert len(listed("tournament=winter-cup")) == 50
    assert listed("state=running&tournament=night-league")
    assert not listed("state=running&tournament=winter-cup")
    assert listed("game=snowblind") == listed("tournament=pole-race")


def test_a_listing_goes_on_page_by_page_and_ends(web):
    seen, address = [], "/matches?tournament=winter-cup"
    while address:
        text = web.fetch(address).text
        seen += re.findall(r'<th role="rowheader"[^>]*>.*?<a href="/matches/(\d+)"', text)
        following = re.search(r'rel="next" href="([^"]+)"', text)
        address = following[1].replace("&amp;", "&") if following else ""
    assert seen == [str(number) for number in range(90, 0, -1)]


@pytest.fixture
def defaced(played, sqlite_template, tmp_path):
    """The arena as it would be if every text of others said what it liked."""
    store = open_store(sqlite_template.new_url(tmp_path))
    made = season(store)
    clean = HOSTILE.replace("\x00", "")
    with store.write() as tx:
        tx.execute(
            update(versions).values(reason=clean, manifest=clean[:300], language=clean, games=clean.replace(" ", ""))
        )
        tx.execute(update(matches).values(reason=clean))
        tx.execute(update(bots).where(bots.c.name == "floe").values(name=clean[:200]))
    yield made
    store.close()


def test_whatever_bots_and_authors_write_stays_text(defaced):
    world = defaced.world
    with serving(Site(world.store, now=lambda: world.now)) as web:
        cookie = web.sign_in(defaced.secrets["ann"])
        pages = ["/", "/bots", "/bots/aurora", "/bots/aurora/versions/1", "/me", "/leaderboards/1", "/matches"]
        pages += ["/tournaments/winter-cup", "/versus?one=aurora&other=borealis"]
        for path in pages:
            answer = web.fetch(path, cookie=cookie)
            assert answer.status == 200, path
            assert not re.search(r"<script>|<img|\u202e|\u2066|\x1b|\x07|x{2000}", answer.text), path


def test_no_output_is_not_taken_for_a_bot_that_printed_nothing(web, cookie, played):
    world = played.world
    world.started("quiet", "aurora", "ember", deals=1)
    claim = world.claim()
    while claim.tournament != "quiet":
        claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, finished(1, 2), outputs=(SeatOutput(b"", truncated=False),) * 2)
    shown = web.fetch(f"/matches/{claim.legs[0].match_id}/seats/0", cookie=cookie["ann"]).text
    assert "What a bot prints on its author's own machine stays there." in shown
    assert "output.txt" not in shown


def test_what_a_program_printed_stays_text(web, cookie, played):
    world = played.world
    world.started("loud", "aurora", "ember", deals=1)
    claim = world.claim()
    while claim.tournament != "loud":
        claim = world.claim()
    output = SeatOutput(HOSTILE.encode(), truncated=True)
    for leg in claim.legs:
        world.record(claim, leg, finished(1, 2), outputs=(output, output))
    number = claim.legs[0].match_id
    shown = web.fetch(f"/matches/{number}/seats/0", cookie=cookie["ann"]).text
    assert "&lt;script&gt;" in shown
    assert "\\u202e" in shown
    assert "The program printed more than is kept" in shown
    assert not re.search(r"<script>|<img|\u202e|\x1b|\x00", shown)
    whole = web.fetch(f"/matches/{number}/seats/0/output.txt", cookie=cookie["ann"])
    assert whole.body == HOSTILE.encode()
    assert whole.headers["content-disposition"].startswith("attachment")


def test_what_is_asked_for_is_shown_as_text(web):
    for path in (
        f"/leaderboards/1?find={quote(HOSTILE[:90])}",
        f"/sign-in?back={quote(HOSTILE[:90])}",
        f"/bots/{quote(HOSTILE[:50])}",
    ):
        assert not re.search(r"<script>|<img|\u202e", web.fetch(path).text)


def test_a_text_that_a_spreadsheet_would_run_is_quoted():
    assert csv_lines(["bot"], [["=1+1"], ["-x"], ["fine"], [None], [-3]]) == "bot\n'=1+1\n'-x\nfine\n\"\"\n-3\n"
