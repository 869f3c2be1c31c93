"""`arena account ...`: accounts and tokens of a server."""

from __future__ import annotations

import os
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
from arena.core.errors import UsageError
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
) -> None:
    """Make an account; admins only."""
    request = pb.CreateAccountRequest(name=name, role=_role(role))
    with connect(server, token_file, data, ca) as session:
        made = session.call(session.accounts.CreateAccount, request).account
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
) -> None:
    """Make a token and show it this once."""
    lifetime_s = parse_span(expires) if expires else 0
    if file is not None and file.exists():
        raise UsageError(f"{file} exists and may hold a token in use; name another file")
    request = pb.IssueTokenRequest(account=name, label=label, lifetime_s=lifetime_s)
    with connect(server, token_file, data, ca) as session:
        made = session.call(session.accounts.IssueToken, request)
    if file is None:
        say(made.secret)
    else:
        _write_secret(file, made.secret)
    note(f"token {made.token.id} of {made.token.account}; the server keeps no copy, so put it away safely")


@app.command()
def revoke(
    number: Annotated[str, typer.Argument(metavar="TOKEN", help="The token's number, as `arena account list` shows.")],
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
) -> None:
    """End a token at once."""
    with connect(server, token_file, data, ca) as session:
        session.call(session.accounts.RevokeToken, pb.RevokeTokenRequest(token_id=number))
    say(f"token {number} is revoked")


@app.command("list")
def list_(
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    data: DataOption = None,
    ca: CaOption = None,
    as_json: JsonOption = False,
) -> None:
    """List your account and its tokens; every account for an admin."""
    with connect(server, token_file, data, ca) as session:
        accounts = _accounts(session)
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


def _accounts(session: Session) -> list[pb.Account]:
    me = session.call(session.accounts.WhoAmI, pb.WhoAmIRequest()).account
    if me.role != pb.ROLE_ADMIN:
        return [me]
    return [
        account
        for page in session.pages(session.accounts.ListAccounts, pb.ListAccountsRequest())
        for account in page.accounts
    ]


def _tokens(session: Session, account: str) -> list[pb.Token]:
    return [
        token
        for page in session.pages(session.accounts.ListTokens, pb.ListTokensRequest(account=account))
        for token in page.tokens
    ]


def _validity(each: pb.Token) -> str:
    if each.HasField("revoked_at"):
        return f"revoked {clock_time(each.revoked_at)}"
    return f"until {clock_time(each.expires_at)}" if each.HasField("expires_at") else "until revoked"


def _role(text: str) -> pb.Role.ValueType:
    names = [name.removeprefix("ROLE_").lower() for name in pb.Role.keys() if name != "ROLE_UNSPECIFIED"]  # noqa: SIM118 - an enum wrapper is no dict
    if text not in names:
        raise UsageError(f"no role {text!r}; there are: {', '.join(names)}", reason="BAD_ROLE")
    return pb.Role.Value(f"ROLE_{text.upper()}")


def _write_secret(file: Path, secret: str) -> None:
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(secret + "\n")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; the token is lost, revoke it and make another") from None
