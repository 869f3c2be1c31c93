import hashlib

import grpc
import pytest

from arena.cli.client import submit_folder, wait_until_checked
from arena.cli.packing import pack
from arena.core.errors import ArenaError, Conflict, NotFound, PermissionDenied
from arena.store import bots
from arena.store.states import VersionState
from arena.v1 import bot_pb2 as pb


def versions(session, bot):
    return session.call(session.bots.ListBotVersions, pb.ListBotVersionsRequest(bot=bot)).versions


def names(session):
    return [bot.name for bot in session.call(session.bots.ListBots, pb.ListBotsRequest()).bots]


def upload(session, content, *, chunk=1000, **header):
    facts = {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)} | header
    requests = [pb.SubmitBotRequest(header=pb.SubmitBotHeader(**facts))]
    requests += [pb.SubmitBotRequest(chunk=content[at : at + chunk]) for at in range(0, len(content), chunk)]
    return session.upload(session.bots.SubmitBot, iter(requests))


def refused(session, content, **header):
    with pytest.raises(ArenaError) as caught:
        upload(session, content, **header)
    return caught.value.code


def test_a_folder_becomes_version_1_and_changed_version_2(arena, admin):
    told = []
    first = submit_folder(admin, arena.bot_folder("ann"), lambda sent, size: told.append((sent, size)))
    second = submit_folder(admin, arena.bot_folder("ann", "print('better')\n"))

    assert (first.version.bot, first.version.version, first.created) == ("ann", 1, True)
    assert (second.version.version, second.created) == (2, True)
    assert told[-1] == (first.version.size_bytes, first.version.size_bytes)
    assert [each.version for each in versions(admin, "ann")] == [2, 1]


def test_the_same_files_again_are_the_same_version(arena, admin):
    submit_folder(admin, arena.bot_folder("ann"))
    again = submit_folder(admin, arena.bot_folder("ann"))

    assert (again.version.version, again.created) == (1, False)
    assert len(versions(admin, "ann")) == 1


def test_a_version_tells_what_was_sent(arena, admin):
    packed = pack(arena.bot_folder("ann"))
    submit_folder(admin, arena.bot_folder("ann"))

    bot = admin.call(admin.bots.GetBot, pb.GetBotRequest(name="ann")).bot
    version = admin.call(admin.bots.GetSubmission, pb.GetSubmissionRequest(bot="ann", version=1)).version

    assert (bot.author, bot.latest) == ("admin", version)
    assert (version.sha256, version.size_bytes) == (packed.sha256, len(packed.archive))
    assert (list(version.games), version.language) == (["first-snow"], "python")
    assert version.state == pb.BOT_VERSION_STATE_ACCEPTED


def test_watching_a_submission_ends_when_it_is_decided(arena, admin):
    submit_folder(admin, arena.bot_folder("ann"))

    assert wait_until_checked(admin, "ann", 0).state == pb.BOT_VERSION_STATE_ACCEPTED


def set_state(arena, bot, state):
    with arena.store.write() as tx:
        bots.set_version_state(tx, bots.find_version(tx, bot, 1).id, state)


def test_a_watch_follows_the_checks_to_their_end(arena, admin):
    arena.submit(admin, "ann")
    set_state(arena, "ann", VersionState.CHECKING)
    heard = admin.stream(admin.bots.WatchSubmission, pb.WatchSubmissionRequest(bot="ann"))

    first = next(heard).version.state
    set_state(arena, "ann", VersionState.REJECTED)

    assert [first, *(answer.version.state for answer in heard)] == [
        pb.BOT_VERSION_STATE_CHECKING,
        pb.BOT_VERSION_STATE_REJECTED,
    ]


def test_a_rejected_version_fails_the_command(arena, admin, run):
    arena.submit(admin, "ann")
    set_state(arena, "ann", VersionState.REJECTED)

    code, out, err = run("submit", str(arena.bot_folder("ann", "print('ann')\n")))

    assert (code, out) == (1, "")
    assert err.startswith("error: ann@1 was rejected")


def test_a_wrong_checksum_is_refused_and_leaves_nothing(arena, admin):
    archive = pack(arena.bot_folder("ann")).archive

    assert refused(admin, archive, sha256="0" * 64) == "WRONG_CHECKSUM"
    assert names(admin) == []


def test_what_is_no_archive_is_refused_and_leaves_nothing(admin):
    assert refused(admin, b"this is no archive") == "BAD_ARCHIVE"
    assert names(admin) == []


def test_a_name_other_than_the_manifests_is_refused(arena, admin):
    archive = pack(arena.bot_folder("ann")).archive

    assert refused(admin, archive, name="bob") == "BAD_MANIFEST"
    assert upload(admin, archive, name="ann").version.bot == "ann"


def test_an_archive_above_the_limit_is_refused_before_its_bytes_are_read(admin):
    taken = []

    def requests():
        yield pb.SubmitBotRequest(header=pb.SubmitBotHeader(sha256="0" * 64, size_bytes=200_001))
        for number in range(10_000):
            taken.append(number)
            yield pb.SubmitBotRequest(chunk=bytes(100_000))

    with pytest.raises(ArenaError, match=r"the limit is 195.3 KB") as caught:
        admin.upload(admin.bots.SubmitBot, requests())
    assert caught.value.code == "ARCHIVE_TOO_LARGE"
    assert len(taken) < 1000


def test_an_interrupted_upload_leaves_nothing(arena, admin, tmp_path):
    content = pack(arena.bot_folder("ann")).archive
    before = sorted(path.name for path in tmp_path.iterdir())

    def broken():
        header = pb.SubmitBotHeader(sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
        yield pb.SubmitBotRequest(header=header)
        yield pb.SubmitBotRequest(chunk=content[:100])
        raise ConnectionError

    with pytest.raises(ArenaError):
        admin.upload(admin.bots.SubmitBot, broken())
    assert names(admin) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert upload(admin, content).created


def test_a_channel_that_closes_in_mid_upload_leaves_nothing_and_harms_nobody(arena, admin):
    from threading import Event

    from arena.v1.bot_pb2_grpc import BotServiceStub

    hold = Event()

    def stalled():
        yield pb.SubmitBotRequest(header=pb.SubmitBotHeader(sha256="0" * 64, size_bytes=1000))
        yield pb.SubmitBotRequest(chunk=bytes(10))
        hold.wait(10)

    with grpc.insecure_channel(arena.address) as channel:
        bearer = (("authorization", f"Bearer {arena.admin}"),)
        BotServiceStub(channel).SubmitBot.future(stalled(), metadata=bearer)
    hold.set()

    arena.submit(admin, "bob")
    assert names(admin) == ["bob"]


def test_a_bot_belongs_to_who_submitted_it_first(arena, admin):
    arena.submit(arena.author("ann"), "mine")

    with pytest.raises(Conflict) as caught:
        arena.submit(arena.author("bob"), "mine")
    assert caught.value.code == "NAME_TAKEN"


def test_bots_are_listed_by_name_by_author_and_in_pages(arena, admin):
    arena.submit(arena.author("ann"), "ab", "cd")
    arena.submit(arena.author("bob"), "bc")

    pages = list(admin.pages(admin.bots.ListBots, pb.ListBotsRequest(page_size=2)))
    of_ann = admin.call(admin.bots.ListBots, pb.ListBotsRequest(author="ann")).bots

    assert [[bot.name for bot in page.bots] for page in pages] == [["ab", "bc"], ["cd"]]
    assert [(bot.name, bot.author) for bot in of_ann] == [("ab", "ann"), ("cd", "ann")]


def test_retiring_is_the_authors_and_twice_is_a_success(arena, admin):
    ann, bob = arena.author("ann"), arena.author("bob")
    arena.submit(ann, "mine")
    request = pb.RetireBotVersionRequest(bot="mine", version=1)

    with pytest.raises(PermissionDenied):
        bob.call(bob.bots.RetireBotVersion, request)
    for _ in range(2):
        answer = ann.call(ann.bots.RetireBotVersion, request)
        assert answer.version.state == pb.BOT_VERSION_STATE_RETIRED


@pytest.mark.parametrize("name", ["nobody", "", "x" * 500, "Robert'); DROP TABLE bot;--", "\x1b", "naïve"])
def test_a_bot_that_does_not_exist_is_not_found(admin, name):
    for method, request in (
        (admin.bots.GetBot, pb.GetBotRequest(name=name)),
        (admin.bots.ListBotVersions, pb.ListBotVersionsRequest(bot=name)),
        (admin.bots.GetSubmission, pb.GetSubmissionRequest(bot=name)),
        (admin.bots.RetireBotVersion, pb.RetireBotVersionRequest(bot=name, version=1)),
    ):
        with pytest.raises(NotFound) as caught:
            admin.call(method, request)
        assert caught.value.code == "NO_SUCH_BOT"


@pytest.mark.parametrize("version", [2, -1, (1 << 31) - 1])
def test_a_version_that_does_not_exist_is_not_found(arena, admin, version):
    arena.submit(admin, "ann")

    with pytest.raises(NotFound) as caught:
        admin.call(admin.bots.GetSubmission, pb.GetSubmissionRequest(bot="ann", version=version))
    assert caught.value.code == "NO_SUCH_VERSION"
