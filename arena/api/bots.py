"""Serves BotService."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from arena.api import wire
from arena.api.gate import Context, caller, in_thread
from arena.api.limits import UPLOAD_RETRY_S, Places
from arena.api.repeating import answer
from arena.api.site import Site, changes, page_size
from arena.api.uploads import receive
from arena.core.errors import LimitReached
from arena.services import matches, submissions
from arena.store import Store
from arena.store.states import VersionState
from arena.v1 import bot_pb2 as pb
from arena.v1.bot_pb2_grpc import BotServiceServicer

MAX_UPLOADS: Final = 8
"""Archives received at the same time; they are held in memory, so more wait for their turn."""

MAX_CHECKS: Final = 2
"""Archives unpacked in memory at the same time, to be checked."""


class BotServicer(BotServiceServicer):
    """Bots, their versions, and what their programs printed."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._uploads = asyncio.Semaphore(MAX_UPLOADS)
        self._checks = asyncio.Semaphore(MAX_CHECKS)
        self._own = Places()

    async def SubmitBot(
        self, request_iterator: AsyncIterator[pb.SubmitBotRequest], context: Context
    ) -> pb.SubmitBotResponse:
        """Take an archive and store it as a version."""
        most = self._site.limits.uploads
        refusal = LimitReached(
            f"{caller().name} is sending {most} archives already; submit again when one of them has arrived",
            reason="TOO_MANY_UPLOADS",
            retry_after_s=UPLOAD_RETRY_S,
        )
        with self._own.one(caller().name, most, refusal):
            async with self._uploads:
                upload = await receive(request_iterator, self._site.max_archive_bytes)

            def act(store: Store) -> pb.SubmitBotResponse:
                now, qualify = self._site.now(), self._site.qualify
                made = submissions.submit(
                    store, caller(), upload.archive, upload.header.sha256, now, name=upload.header.name, qualify=qualify
                )
                return pb.SubmitBotResponse(version=wire.version(made.version), created=made.created)

            async with self._checks:
                return await answer(self._site, upload.header, pb.SubmitBotResponse, act)

    async def GetBot(self, request: pb.GetBotRequest, context: Context) -> pb.GetBotResponse:
        """Return a bot with its newest version."""
        return pb.GetBotResponse(bot=wire.bot(await in_thread(submissions.get_bot, self._site.store, request.name)))

    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """List bots by name."""
        page = await in_thread(
            submissions.list_bots,
            self._site.store,
            author=request.author,
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListBotsResponse(bots=[wire.bot(each) for each in page.items], next_page_token=page.next_page_token)

    async def ListBotVersions(self, request: pb.ListBotVersionsRequest, context: Context) -> pb.ListBotVersionsResponse:
        """List a bot's versions, newest first."""
        page = await in_thread(
            submissions.list_versions,
            self._site.store,
            request.bot,
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListBotVersionsResponse(
            versions=[wire.version(each) for each in page.items], next_page_token=page.next_page_token
        )

    async def GetSubmission(self, request: pb.GetSubmissionRequest, context: Context) -> pb.GetSubmissionResponse:
        """Tell how far a version's checks are."""
        found, played = await in_thread(submissions.get_submission, self._site.store, request.bot, request.version)
        return pb.GetSubmissionResponse(
            version=wire.version(found), matches=[wire.qualification(each) for each in played]
        )

    async def WatchSubmission(
        self, request: pb.WatchSubmissionRequest, context: Context
    ) -> AsyncIterator[pb.WatchSubmissionResponse]:
        """Tell the same until the checks have ended."""
        first = await in_thread(submissions.get_version, self._site.store, request.bot, request.version)
        look = partial(in_thread, submissions.get_submission, self._site.store, request.bot, first.version)
        async for found, played in changes(self._site, look):
            yield pb.WatchSubmissionResponse(
                version=wire.version(found), matches=[wire.qualification(each) for each in played]
            )
            if found.state is not VersionState.CHECKING:
                return

    async def GetSeatOutput(self, request: pb.GetSeatOutputRequest, context: Context) -> pb.GetSeatOutputResponse:
        """Return what a seat's program printed and how long it thought."""
        number = wire.parse_id(request.match_id, "match")
        found = await in_thread(matches.get_seat_record, self._site.store, caller(), number, request.seat)
        return pb.GetSeatOutputResponse(
            bot=found.seat.bot,
            version=found.seat.version,
            output=found.output.output,
            truncated=found.output.truncated,
            think_ms=found.times.think_ms,
            charged_ms=found.times.charged_ms,
            end=wire.seat_end(found.seat.end),
            rank=found.seat.rank,
        )

    async def RetireBotVersion(
        self, request: pb.RetireBotVersionRequest, context: Context
    ) -> pb.RetireBotVersionResponse:
        """Take a version out of what is not scheduled yet."""

        def act(store: Store) -> pb.RetireBotVersionResponse:
            found = submissions.retire(store, caller(), request.bot, request.version, self._site.now())
            return pb.RetireBotVersionResponse(version=wire.version(found))

        return await answer(self._site, request, pb.RetireBotVersionResponse, act)

    async def RestoreBotVersion(
        self, request: pb.RestoreBotVersionRequest, context: Context
    ) -> pb.RestoreBotVersionResponse:
        """Bring a version back."""

        def act(store: Store) -> pb.RestoreBotVersionResponse:
            found = submissions.restore(store, caller(), request.bot, request.version)
            return pb.RestoreBotVersionResponse(version=wire.version(found))

        return await answer(self._site, request, pb.RestoreBotVersionResponse, act)
