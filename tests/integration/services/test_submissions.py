import stat
from hashlib import sha256

import pytest
from playing import bot_zip, zipped

from arena.core.errors import Conflict, NotFound, PermissionDenied, UsageError
from arena.services import submissions
from arena.store.states import VersionState

RUST = 'name = "ada"\ngames = ["icefall"]\nlanguage = "rust"\n'


def submit(world, archive, caller=None, **facts):
    digest = sha256(archive).hexdigest()
    return submissions.submit(world.store, caller or world.admin, archive, digest, world.now, **facts)


def test_a_submission_makes_the_bot_and_its_first_version(world):
    author = world.account("alice")
    made = submit(world, bot_zip("ada"), author)
    version = made.version
    assert made.created
    assert (version.label, version.author, version.state) == ("ada@1", "alice", VersionState.ACCEPTED)
    assert (version.games, version.language) == (("first-snow", "icefall"), "python")
    assert (version.sha256, version.submitted_at) == (sha256(bot_zip("ada")).hexdigest(), world.now)
    assert submissions.get_bot(world.store, "ada").latest == version


def test_the_same_content_again_answers_with_the_version_that_has_it(world):
    first = submit(world, bot_zip("ada"))
    submit(world, bot_zip("ada", "changed"))
    folder = zipped(
        {"around/bot.toml": 'name = "ada"\ngames = ["first-snow", "icefall"]\n', "around/bot.py": "# ada \n"}
    )
    again = submit(world, folder)
    assert (again.created, again.version) == (False, first.version)
    assert submissions.get_bot(world.store, "ada").latest.version == 2


def test_two_bots_may_have_the_same_archive_bytes_only_if_they_are_one_bot(world):
    alice, bob = world.account("alice"), world.account("bob")
    submit(world, bot_zip("ada"), alice)
    with pytest.raises(Conflict) as caught:
        submit(world, bot_zip("ada"), bob)
    assert caught.value.code == "NAME_TAKEN"


def test_a_wrong_checksum_stores_nothing(world):
    with pytest.raises(UsageError) as caught:
        submissions.submit(world.store, world.admin, bot_zip("ada"), "0" * 64, world.now)
    assert caught.value.code == "WRONG_CHECKSUM"
    assert submissions.list_bots(world.store).items == ()


@pytest.mark.parametrize(
    ("archive", "code"),
    [
        (zipped({"bot.py": ""}), "BAD_MANIFEST"),
        (zipped({"bot.toml": "name = "}), "BAD_MANIFEST"),
        (zipped({"bot.toml": b"\xff\xfe"}), "BAD_MANIFEST"),
        (zipped({"bot.toml": "#" * 100_000}), "BAD_MANIFEST"),
        (bot_zip("ada", games='"no-such-game"'), "UNKNOWN_GAME"),
        (zipped({"bot.toml": 'name = "ada"\ngames = ["icefall"]\n'}), "BAD_MANIFEST"),
        (zipped({"bot.toml": f'{RUST}command = ["./bot"]\n'}), "BAD_MANIFEST"),
        (zipped({"bot.toml": f'{RUST}command = ["./bot"]\n', "bot": "not executable"}), "BAD_MANIFEST"),
        (b"no archive", "BAD_ARCHIVE"),
    ],
)
def test_a_bad_submission_is_refused_in_one_line_and_stores_nothing(world, archive, code):
    with pytest.raises(UsageError) as caught:
        submit(world, archive)
    assert caught.value.code == code
    assert "\n" not in caught.value.message
    assert submissions.list_bots(world.store).items == ()


def test_the_announced_name_has_to_be_the_manifests(world):
    with pytest.raises(UsageError):
        submit(world, bot_zip("ada"), name="bert")
    assert submit(world, bot_zip("ada"), name="ada").created


def test_bots_are_listed_page_by_page_with_their_newest_version(world):
    alice = world.account("alice")
    for name in ("cleo", "ada", "bert"):
        submit(world, bot_zip(name), alice if name == "bert" else None)
    submit(world, bot_zip("ada", "second"))
    page = submissions.list_bots(world.store, page_size=2)
    assert [(bot.name, bot.latest.version) for bot in page.items] == [("ada", 2), ("bert", 1)]
    rest = submissions.list_bots(world.store, page_size=2, page_token=page.next_page_token)
    assert ([bot.name for bot in rest.items], rest.next_page_token) == (["cleo"], "")
    assert [bot.name for bot in submissions.list_bots(world.store, author="alice").items] == ["bert"]


def test_versions_are_listed_newest_first(world):
    for text in ("one", "two", "three"):
        submit(world, bot_zip("ada", text))
    page = submissions.list_versions(world.store, "ada", page_size=2)
    rest = submissions.list_versions(world.store, "ada", page_size=2, page_token=page.next_page_token)
    assert [version.version for version in (*page.items, *rest.items)] == [3, 2, 1]


@pytest.mark.parametrize("token", ["x", "bm9uc2Vuc2U=", "WzFd", "WyJhIiwgImIiXQ=="])
def test_a_token_of_another_listing_is_refused(world, token):
    with pytest.raises(UsageError) as caught:
        submissions.list_bots(world.store, page_token=token)
    assert caught.value.code == "BAD_PAGE_TOKEN"


def test_unknown_bots_and_versions_are_named(world):
    submit(world, bot_zip("ada"))
    with pytest.raises(NotFound, match="'bert'"):
        submissions.get_bot(world.store, "bert")
    with pytest.raises(NotFound, match="no version 7"):
        submissions.get_version(world.store, "ada", 7)


def test_only_the_author_or_an_admin_retires_a_version_and_twice_is_a_success(world):
    alice, bob = world.account("alice"), world.account("bob")
    submit(world, bot_zip("ada"), alice)
    with pytest.raises(PermissionDenied):
        submissions.retire(world.store, bob, "ada", 1, world.now)
    for caller in (alice, world.admin):
        assert submissions.retire(world.store, caller, "ada", 0, world.now).state is VersionState.RETIRED


@pytest.mark.parametrize(("label", "parsed"), [("ada", ("ada", 0)), ("ada@3", ("ada", 3)), ("a-1@12", ("a-1", 12))])
def test_a_label_names_bot_and_version(label, parsed):
    assert submissions.parse_label(label) == parsed


@pytest.mark.parametrize("label", ["", "@1", "ada@", "ada@x", "ada@0", "ada@-1", "Ada", "ada@99999999999"])
def test_what_is_no_label_is_refused(label):
    with pytest.raises(UsageError):
        submissions.parse_label(label)


def test_unpacking_writes_the_checked_files_and_nothing_else(world, tmp_path):
    files = {
        "x/bot.toml": 'name = "ada"\ngames = ["icefall"]\n',
        "x/bot.py": "",
        "x/lib/deep/a.py": "1",
        "x/.DS_Store": "junk",
    }
    version = submit(world, zipped(files)).version
    folder = tmp_path / "out" / "bot"
    submissions.unpack(world.store, version.id, folder)
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert found == ["bot.py", "bot.toml", "lib/deep/a.py"]
    assert stat.S_IMODE((folder / "lib" / "deep").stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "bot.toml").stat().st_mode) == 0o644


def test_unpacking_into_a_folder_with_files_is_refused(world, tmp_path):
    version = submit(world, bot_zip("ada")).version
    (tmp_path / "mine").write_text("keep")
    with pytest.raises(Conflict):
        submissions.unpack(world.store, version.id, tmp_path)
    with pytest.raises(NotFound):
        submissions.unpack(world.store, 99, tmp_path / "new")
