"""`arena account ...`: what it prints, what it keeps, and what it leaves behind when something fails."""

import json
import os
import stat

import pytest

from arena.cli import account as commands
from arena.cli.client import Session
from arena.v1 import account_pb2


@pytest.fixture
def ann(run):
    assert run("account", "create", "ann")[0] == 0
    return "ann"


def listed(run, *arguments):
    code, out, err = run("account", "list", *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_everything_answers_in_json(run, tmp_path):
    code, out, _ = run("account", "create", "ann", "--role", "organiser", "--json")
    assert (code, json.loads(out)["name"], json.loads(out)["role"]) == (0, "ann", "ROLE_ORGANISER")
    made = json.loads(run("account", "token", "ann", "--label", "laptop", "--json")[1])
    assert (made["account"], made["label"], made["secret"][:3]) == ("ann", "laptop", "wo_")
    kept = json.loads(run("account", "token", "ann", "-o", str(tmp_path / "token"), "--json")[1])
    assert "secret" not in kept
    assert kept["file"] == str(tmp_path / "token")
    revoked = json.loads(run("account", "revoke", made["id"], kept["id"], "--json")[1])
    assert revoked == {"revoked": [made["id"], kept["id"]]}


def test_a_token_says_until_when_it_is_valid(run, ann):
    _, _, err = run("account", "token", ann, "--expires", "1h")

    assert "of ann until 2030-01-02 13:00 UTC; the server keeps no copy" in err


def test_an_admin_lists_one_account_and_an_author_only_its_own(run, ann, tmp_path):
    assert [each["name"] for each in listed(run)] == ["admin", "ann"]
    assert [each["name"] for each in listed(run, "ann")] == ["ann"]
    file = tmp_path / "token"
    run("account", "token", ann, "-o", str(file))
    assert [each["name"] for each in listed(run, "--token-file", str(file))] == ["ann"]

    for name in ("admin", "nobody"):
        code, out, err = run("account", "list", name, "--token-file", str(file))
        assert (code, out) == (1, "")
        assert err == "error: tokens of others are an admin's business; leave the account empty\n"
    assert run("account", "list", "nobody")[0] == 1


def test_a_table_tells_what_has_expired(run, ann, arena, monkeypatch):
    run("account", "token", ann, "--expires", "1m", "--label", "short")
    assert "until 2030-01-02 12:01" in run("account", "list", ann)[1]

    class Later(commands.datetime):
        @classmethod
        def now(cls, zone=None):
            return cls(2031, 1, 1, tzinfo=zone)

    monkeypatch.setattr(commands, "datetime", Later)
    assert "expired 2030-01-02 12:01" in run("account", "list", ann)[1]


def test_a_secrets_file_is_its_owners_alone(run, ann, tmp_path):
    umask = os.umask(0)
    try:
        run("account", "token", ann, "-o", str(tmp_path / "token"))
    finally:
        os.umask(umask)

    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_a_token_that_is_refused_leaves_no_file(run, tmp_path):
    code, _, _ = run("account", "token", "nobody", "-o", str(tmp_path / "token"))

    assert code == 1
    assert list(tmp_path.glob("token*")) == []


def test_where_no_file_can_be_made_no_token_is_made(run, ann, tmp_path):
    code, _, err = run("account", "token", ann, "-o", str(tmp_path / "nowhere" / "token"))

    assert code == 2
    assert "No such file" in err
    assert listed(run, ann)[0]["tokens"] == []


def test_what_is_there_is_not_written_to_even_if_it_is_a_device(run, ann):
    code, _, err = run("account", "token", ann, "-o", "/dev/full")
    assert code == 2
    assert "exists" in err


class Forgetful(Session):
    """A session whose first answer with a secret was lost on the way: the repetition comes without it."""

    lost = False

    def call(self, method, request, timeout_s=30.0):
        answer = super().call(method, request, timeout_s)
        if isinstance(answer, account_pb2.IssueTokenResponse) and not self.lost:
            self.lost = True
            answer.secret = ""
        return answer


def test_a_secret_that_was_lost_on_the_way_is_replaced_and_its_token_ended(run, ann, arena, monkeypatch):
    def connect(*where):
        from arena.cli.places import Door

        return Forgetful(Door(arena.address, arena.admin))

    monkeypatch.setattr(commands, "connect", connect)
    code, out, err = run("account", "token", ann)

    assert (code, out[:3]) == (0, "wo_")
    assert "token 3 of ann" in err
    newest, lost = listed(run, ann)[0]["tokens"]
    assert (newest["id"], "revoked_at" in newest) == ("3", False)
    assert (lost["id"], "revoked_at" in lost) == ("2", True)
