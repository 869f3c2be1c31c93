"""`arena account ...`: accounts and tokens of a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.client import Session, connect
from arena.cli.options import (
    CaOption,
    DataOption,
    JsonOption,
    ServerOption,
    TokenFileOption,
    as_plain,
    clock_time,
    parse_span,
    word,
)
from arena.cli.output import note, print_json, print_table, say
from arena.core.errors import NotFound, UsageError
from arena.v1 import account_pb2 as pb

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Accounts and their tokens.")


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case letters, digits, - and _.")],
    role: Annotated[str, typer.Option("--role", metavar="ROLE", help="author, organiser or admin.")] = "author",
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an account; admins only."""
    request = pb.CreateAccountRequest(name=name, role=_role(role))
    with connect(server, token_file, data, ca) as session:
        made = session.call(session.accounts.CreateAccount, request).account
    if as_json:
        print_json(as_plain([made])[0])
    else:
        say(f"{made.name}: {word(pb.Role.Name, made.role, 'ROLE_')}")
    note(f"make it a token with `arena account token {made.name}`")


@app.command()
def token(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Whose; else your own.")] = "",
    *,
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help="To tell tokens apart.")] = "",
    expires: Annotated[str, typer.Option("--expires", metavar="SPAN", help="Such as 12h or 30d; else never.")] = "",
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there, readable by you only.")
    ] = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token and show it this once."""
    lifetime_s = parse_span(expires) if expires else 0
    request = pb.IssueTokenRequest(account=name, label=label, lifetime_s=lifetime_s)
    with connect(server, token_file, data, ca) as session, _place_for(file) as put:
        made = _issue(session, request)
        put(made.secret)
    shown = as_plain([made.token])[0] | ({"secret": made.secret} if file is None else {"file": str(file)})
    if as_json:
        print_json(shown)
    elif file is None:
        say(made.secret)
    until = f" until {clock_time(made.token.expires_at)} UTC" if made.token.HasField("expires_at") else ""
    note(f"token {made.token.id} of {made.token.account}{until}; the server keeps no copy, so put it away safely")


@app.command()
def revoke(
    numbers: Annotated[
        list[str], typer.Argument(metavar="TOKEN...", help="The tokens' numbers, as `arena account list` shows them.")
    ],
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """End tokens at once."""
    with connect(server, token_file, data, ca) as session:
        for number in numbers:
            session.call(session.accounts.RevokeToken, pb.RevokeTokenRequest(token_id=number))
            if not as_json:
                say(f"token {number} is revoked")
    if as_json:
        print_json({"revoked": numbers})


@app.command("list")
def list_(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Whose tokens; else yours, for an admin all.")] = "",
    *,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """List your account and its tokens; every account for an admin."""
    with connect(server, token_file, data, ca) as session:
        accounts = _accounts(session, name)
        tokens = {each.name: _tokens(session, each.name) for each in accounts}
    if as_json:
        print_json([as_plain([each])[0] | {"tokens": as_plain(tokens[each.name])} for each in accounts])
        return
    rows: list[tuple[object, ...]] = []
    for each in accounts:
        role = word(pb.Role.Name, each.role, "ROLE_")
        rows += [
            (each.name, role, mine.id, mine.label, clock_time(mine.created_at), _validity(mine))
            for mine in tokens[each.name]
        ] or [(each.name, role, None, None, None, "no token")]
    print_table(("account", "role", "token", "label", "made", "valid"), rows)


def _accounts(session: Session, name: str) -> list[pb.Account]:
    """Return the accounts to list: the one with this name, or all that the caller may see. Raises what says why not."""
    me = session.call(session.accounts.WhoAmI, pb.WhoAmIRequest()).account
    if me.role != pb.ROLE_ADMIN or name == me.name:
        if name not in {"", me.name}:
            session.call(session.accounts.ListTokens, pb.ListTokensRequest(account=name))
        return [me]
    everybody = [
        account
        for page in session.pages(session.accounts.ListAccounts, pb.ListAccountsRequest(page_size=1000))
        for account in page.accounts
    ]
    found = [account for account in everybody if name in {"", account.name}]
    if not found:
        raise NotFound(f"there is no account {name!r}; list them or create it", reason="NO_SUCH_ACCOUNT")
    return found


def _issue(session: Session, request: pb.IssueTokenRequest) -> pb.IssueTokenResponse:
    """Return a new token with its secret."""
    made = session.call(session.accounts.IssueToken, request)
    if made.secret:
        return made
    # The first answer was lost with its connection, and the secret with it: nobody has it, nor will.
    session.call(session.accounts.RevokeToken, pb.RevokeTokenRequest(token_id=made.token.id))
    return session.call(session.accounts.IssueToken, request)


def _tokens(session: Session, account: str) -> list[pb.Token]:
    return [
        token
        for page in session.pages(session.accounts.ListTokens, pb.ListTokensRequest(account=account))
        for token in page.tokens
    ]


def _validity(each: pb.Token) -> str:
    if each.HasField("revoked_at"):
        return f"revoked {clock_time(each.revoked_at)}"
    if not each.HasField("expires_at"):
        return "until revoked"
    over = each.expires_at.ToDatetime(UTC) <= datetime.now(UTC)
    return f"{'expired' if over else 'until'} {clock_time(each.expires_at)}"


def _role(text: str) -> pb.Role.ValueType:
    names = [name.removeprefix("ROLE_").lower() for name in pb.Role.keys() if name != "ROLE_UNSPECIFIED"]  # noqa: SIM118 - an enum wrapper is no dict
    if text not in names:
        raise UsageError(f"no role {text!r}; there are: {', '.join(names)}", reason="BAD_ROLE")
    return pb.Role.Value(f"ROLE_{text.upper()}")


@contextmanager
def _place_for(file: Path | None) -> Iterator[Callable[[str], None]]:
    """Make a file that only its owner reads, before there is a secret to lose, and yield what writes the secret there.

    It is gone again if the block fails. Raises UsageError.
    """
    if file is None:
        yield lambda _secret: None
        return
    try:
        place = os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii")
    except FileExistsError:
        raise UsageError(f"{file} exists and may hold a token in use; name another file") from None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; name another file") from None

    def put(secret: str) -> None:
        try:
            place.write(f"{secret}\n")
            place.flush()
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}; the token is lost, revoke it and make another") from None

    try:
        with suppress(OSError), place:  # of a full disk put has told
            yield put
    except BaseException:
        file.unlink(missing_ok=True)
        raise
