import pytest

from arena.core.errors import NotFound, PermissionDenied, Unauthenticated, UsageError
from arena.v1 import account_pb2 as pb


def who(session):
    return session.call(session.accounts.WhoAmI, pb.WhoAmIRequest())


def issue(session, **facts):
    return session.call(session.accounts.IssueToken, pb.IssueTokenRequest(**facts))


def test_the_first_token_is_an_admins(admin):
    answer = who(admin)

    assert (answer.account.name, answer.account.role) == ("admin", pb.ROLE_ADMIN)
    assert answer.server_version


def test_an_account_is_made_and_listed(admin):
    made = admin.call(admin.accounts.CreateAccount, pb.CreateAccountRequest(name="ann", role=pb.ROLE_ORGANISER))
    listed = admin.call(admin.accounts.ListAccounts, pb.ListAccountsRequest())

    assert made.account.created_at.seconds
    assert [(each.name, each.role) for each in listed.accounts] == [
        ("admin", pb.ROLE_ADMIN),
        ("ann", pb.ROLE_ORGANISER),
    ]


def test_a_role_has_to_be_named(admin):
    for role in (0, 77):
        with pytest.raises(UsageError) as caught:
            admin.call(admin.accounts.CreateAccount, pb.CreateAccountRequest(name="ann", role=role))
        assert caught.value.code == "BAD_ROLE"


def test_a_token_opens_its_account_and_is_listed_without_its_secret(arena, admin):
    arena.author("ann")
    made = issue(admin, account="ann", label="laptop")

    assert who(arena.session(made.secret)).account.name == "ann"
    listed = admin.call(admin.accounts.ListTokens, pb.ListTokensRequest(account="ann"))
    assert [each.label for each in listed.tokens] == ["laptop", ""]
    assert made.secret not in str(listed)


def test_a_token_expires_at_its_time(arena, admin):
    made = issue(admin, lifetime_s=60)
    mine = arena.session(made.secret)
    arena.clock.advance(seconds=59)
    who(mine)
    arena.clock.advance(seconds=1)

    with pytest.raises(Unauthenticated) as caught:
        who(mine)
    assert caught.value.code == "TOKEN_EXPIRED"


def test_a_revoked_token_opens_nothing_and_revoking_twice_is_a_success(arena, admin):
    made = issue(admin)
    for _ in range(2):
        admin.call(admin.accounts.RevokeToken, pb.RevokeTokenRequest(token_id=made.token.id))

    with pytest.raises(Unauthenticated) as caught:
        who(arena.session(made.secret))
    assert caught.value.code == "TOKEN_REVOKED"


def test_an_author_makes_and_ends_own_tokens_only(arena, admin):
    ann = arena.author("ann")
    mine = issue(ann, label="second")
    foreign = issue(admin)

    with pytest.raises(PermissionDenied):
        issue(ann, account="admin")
    with pytest.raises(NotFound):
        ann.call(ann.accounts.RevokeToken, pb.RevokeTokenRequest(token_id=foreign.token.id))
    ann.call(ann.accounts.RevokeToken, pb.RevokeTokenRequest(token_id=mine.token.id))


def test_an_unknown_token_is_not_found_and_a_malformed_id_is_named(admin):
    with pytest.raises(NotFound):
        admin.call(admin.accounts.RevokeToken, pb.RevokeTokenRequest(token_id="4711"))
    with pytest.raises(UsageError) as caught:
        admin.call(admin.accounts.RevokeToken, pb.RevokeTokenRequest(token_id="first"))
    assert caught.value.code == "BAD_ID"


def test_listings_come_in_pages(arena, admin):
    for name in ("ann", "bob", "cyd", "dan"):
        admin.call(admin.accounts.CreateAccount, pb.CreateAccountRequest(name=name, role=pb.ROLE_AUTHOR))

    pages = list(admin.pages(admin.accounts.ListAccounts, pb.ListAccountsRequest(page_size=2)))

    assert [[each.name for each in page.accounts] for page in pages] == [["admin", "ann"], ["bob", "cyd"], ["dan"]]


def test_a_page_token_that_was_never_given_out_is_refused(admin):
    with pytest.raises(UsageError) as caught:
        admin.call(admin.accounts.ListAccounts, pb.ListAccountsRequest(page_token="tomorrow"))
    assert caught.value.code == "BAD_PAGE_TOKEN"


def test_a_token_that_expires_makes_none_for_its_account_that_lasts_longer(arena, admin):
    arena.author("ann")
    mine = arena.session(issue(admin, account="ann", lifetime_s=3600).secret)

    for lifetime_s in (0, 3601):
        with pytest.raises(PermissionDenied, match="expires at 2030-01-02 13:00 UTC") as caught:
            issue(mine, lifetime_s=lifetime_s)
        assert caught.value.code == "OUTLIVES_TOKEN"
    shorter = issue(mine, lifetime_s=3600)
    assert who(arena.session(shorter.secret)).account.name == "ann"


def test_an_admins_token_that_expires_makes_lasting_ones_for_others(arena, admin):
    arena.author("ann")
    passing = arena.session(issue(admin, lifetime_s=60).secret)

    assert not issue(passing, account="ann").token.HasField("expires_at")
