import traceback
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from playing import START
from sqlalchemy.exc import IntegrityError

from arena.core.errors import (
    Conflict,
    LimitReached,
    NotFound,
    PermissionDenied,
    Unauthenticated,
    Unavailable,
    UsageError,
)
from arena.services import accounts
from arena.store import people, tables
from arena.store.states import Role


def test_the_first_admin_is_made_once(world):
    assert world.admin.role is Role.ADMIN
    assert accounts.bootstrap(world.store, world.now) is None


def test_a_token_opens_its_account(world):
    alice = world.account("alice")
    made = accounts.issue_token(world.store, alice, "", "laptop", world.now)
    assert accounts.authenticate(world.store, made.secret, world.now) == alice
    assert made.secret.startswith("wo_")
    assert (made.token.account, made.token.label) == ("alice", "laptop")


def test_no_secret_is_stored(world):
    made = accounts.issue_token(world.store, world.admin, "", "", world.now)
    with world.store.read() as tx:
        stored = [str(row) for row in tx.execute(tables.tokens.select())]
    assert not any(made.secret in row or made.secret[3:] in row for row in stored)


def test_every_way_a_token_can_fail_has_its_reason(world):
    secret = accounts.issue_token(world.store, world.admin, "", "", world.now, lifetime_s=60).secret
    revoked = accounts.issue_token(world.store, world.admin, "", "", world.now)
    accounts.revoke_token(world.store, world.admin, revoked.token.id, world.now)
    later = world.now + timedelta(seconds=60)
    cases = {("", world.now): "NO_TOKEN", ("wo_x", world.now): "TOKEN_UNKNOWN", (secret, later): "TOKEN_EXPIRED"}
    cases[revoked.secret, world.now] = "TOKEN_REVOKED"
    for (text, now), code in cases.items():
        with pytest.raises(Unauthenticated) as caught:
            accounts.authenticate(world.store, text, now)
        assert caught.value.code == code


def test_a_token_works_up_to_its_last_moment(world):
    secret = accounts.issue_token(world.store, world.admin, "", "", world.now, lifetime_s=60).secret
    assert accounts.authenticate(world.store, secret, world.now + timedelta(seconds=59)) == world.admin


def test_only_admins_make_accounts_and_list_them(world):
    for role in (Role.AUTHOR, Role.ORGANISER):
        caller = world.account(f"the-{role.lower()}", role)
        with pytest.raises(PermissionDenied):
            accounts.create_account(world.store, caller, "eve", Role.ADMIN, world.now)
        with pytest.raises(PermissionDenied):
            accounts.list_accounts(world.store, caller)
    page = accounts.list_accounts(world.store, world.admin, page_size=2)
    rest = accounts.list_accounts(world.store, world.admin, page_size=2, page_token=page.next_page_token)
    assert [one.name for one in (*page.items, *rest.items)] == ["admin", "the-author", "the-organiser"]


def test_a_name_is_given_once_and_has_to_be_one(world):
    world.account("alice")
    with pytest.raises(Conflict):
        world.account("alice")
    for name in ("", "A", "x", "1st", "-a", "a b", "a" * 41, "a\n"):
        with pytest.raises(UsageError):
            world.account(name)


def test_tokens_of_others_are_an_admins_business(world):
    alice, bob = world.account("alice"), world.account("bob")
    token = accounts.issue_token(world.store, world.admin, "alice", "", world.now).token
    with pytest.raises(PermissionDenied):
        accounts.issue_token(world.store, bob, "alice", "", world.now)
    with pytest.raises(PermissionDenied):
        accounts.list_tokens(world.store, bob, "alice")
    with pytest.raises(NotFound):
        accounts.revoke_token(world.store, bob, token.id, world.now)
    with pytest.raises(NotFound):
        accounts.issue_token(world.store, world.admin, "nobody", "", world.now)
    assert [one.id for one in accounts.list_tokens(world.store, alice).items] == [token.id]


def test_revoking_twice_keeps_the_first_moment(world):
    token = accounts.issue_token(world.store, world.admin, "", "", world.now).token
    first = accounts.revoke_token(world.store, world.admin, token.id, world.now)
    assert accounts.revoke_token(world.store, world.admin, token.id, world.wait(seconds=9)) == first


def test_labels_lifetimes_and_the_number_of_tokens_have_limits(world):
    for facts in ({"label": "x" * 81}, {"label": "a\nb"}, {"label": "", "lifetime_s": -1}):
        with pytest.raises(UsageError):
            accounts.issue_token(world.store, world.admin, "", now=world.now, **facts)
    alice = world.account("alice")
    for _ in range(accounts.MAX_TOKENS):
        accounts.issue_token(world.store, alice, "", "", world.now)
    with pytest.raises(LimitReached):
        accounts.issue_token(world.store, alice, "", "", world.now)


def test_of_several_who_ask_for_a_name_at_once_one_gets_it_and_the_others_are_told(world):
    together = Barrier(4)
    told = []

    def ask():
        together.wait()
        try:
            told.append(world.account("alice").name)
        except (Conflict, Unavailable) as error:
            told.append(error.code)

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(told) <= {"alice", "ACCOUNT_EXISTS", "CONCURRENT_CHANGE"}
    assert told.count("alice") == 1
    assert len(told) == 4


def test_an_error_of_a_statement_tells_no_value(store, world):
    label = "-".join(("a", "value", "of", "a", "row"))  # not as it stands here: a traceback shows this line

    def twice():
        with store.write() as tx:
            for _ in range(2):
                people.insert_token(tx, world.admin, label=label, digest="d", now=START, expires_at=None)

    with pytest.raises((IntegrityError, Unavailable)) as caught:
        twice()
    told = "".join(traceback.format_exception(caught.value))
    assert "INSERT INTO tokens" in told
    assert label not in told


@pytest.mark.parametrize(
    "secret", ["x", "wo_", "wo_" + "a" * 42, "wo_" + "a" * 44, "WO_" + "a" * 43, "wo_" + "\u00e4" * 43]
)
def test_what_cannot_be_a_token_is_not_looked_up(secret):
    with pytest.raises(Unauthenticated) as caught:
        accounts.authenticate(None, secret, START)  # there is no store to look into
    assert caught.value.code == "TOKEN_UNKNOWN"
    assert secret not in caught.value.message.split()


def test_a_secret_is_not_shown_with_its_token(store, world):
    made = accounts.issue_token(store, world.admin, "", "x", START)

    assert made.secret not in repr(made)
