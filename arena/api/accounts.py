"""Serves AccountService."""

from __future__ import annotations

from importlib.metadata import version

from arena.api import wire
from arena.api.gate import Context, call, caller, in_thread
from arena.api.repeating import answer
from arena.api.site import Site, page_size
from arena.core.errors import UsageError
from arena.services import accounts
from arena.store import Store
from arena.store.states import Role
from arena.v1 import account_pb2 as pb
from arena.v1.account_pb2_grpc import AccountServiceServicer


class AccountServicer(AccountServiceServicer):
    """Accounts and tokens."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def WhoAmI(self, request: pb.WhoAmIRequest, context: Context) -> pb.WhoAmIResponse:
        """Tell whose token the call carries."""
        return pb.WhoAmIResponse(account=wire.account(caller()), server_version=version("whiteout-arena"))

    async def CreateAccount(self, request: pb.CreateAccountRequest, context: Context) -> pb.CreateAccountResponse:
        """Make an account."""
        role = _role(request.role)

        def act(store: Store) -> pb.CreateAccountResponse:
            made = accounts.create_account(store, caller(), request.name, role, self._site.now())
            return pb.CreateAccountResponse(account=wire.account(made))

        return await answer(self._site, request, pb.CreateAccountResponse, act)

    async def ListAccounts(self, request: pb.ListAccountsRequest, context: Context) -> pb.ListAccountsResponse:
        """List all accounts."""
        size = page_size(request.page_size)
        page = await in_thread(accounts.list_accounts, self._site.store, caller(), size, request.page_token)
        return pb.ListAccountsResponse(
            accounts=[wire.account(each) for each in page.items], next_page_token=page.next_page_token
        )

    async def IssueToken(self, request: pb.IssueTokenRequest, context: Context) -> pb.IssueTokenResponse:
        """Make a token and show its secret."""

        def act(store: Store) -> pb.IssueTokenResponse:
            made = accounts.issue_token(
                store,
                caller(),
                request.account,
                request.label,
                self._site.now(),
                lifetime_s=request.lifetime_s,
                shown=call().token,
            )
            return pb.IssueTokenResponse(token=wire.token(made.token), secret=made.secret)

        # What a repetition is told is stored, so the secret is not in it.
        return await answer(
            self._site, request, pb.IssueTokenResponse, act, kept=lambda made: pb.IssueTokenResponse(token=made.token)
        )

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Context) -> pb.RevokeTokenResponse:
        """End a token."""
        number = wire.parse_id(request.token_id, "token")

        def act(store: Store) -> pb.RevokeTokenResponse:
            accounts.revoke_token(store, caller(), number, self._site.now())
            return pb.RevokeTokenResponse()

        return await answer(self._site, request, pb.RevokeTokenResponse, act)

    async def ListTokens(self, request: pb.ListTokensRequest, context: Context) -> pb.ListTokensResponse:
        """List an account's tokens."""
        size = page_size(request.page_size)
        page = await in_thread(
            accounts.list_tokens, self._site.store, caller(), request.account, size, request.page_token
        )
        return pb.ListTokensResponse(
            tokens=[wire.token(each) for each in page.items], next_page_token=page.next_page_token
        )


def _role(value: pb.Role.ValueType) -> Role:
    if value == pb.ROLE_UNSPECIFIED or value not in pb.Role.values():
        raise UsageError("role has to be author, organiser or admin", reason="BAD_ROLE")
    return Role(pb.Role.Name(value).removeprefix("ROLE_"))
