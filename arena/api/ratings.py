"""Serves RatingService."""

from __future__ import annotations

from arena.api import figures, wire
from arena.api.gate import Context, in_thread
from arena.api.site import Site, page_size
from arena.ladder.rating import PROVISIONAL_SIGMA
from arena.services import comparing, ratings
from arena.v1 import rating_pb2 as pb
from arena.v1.rating_pb2_grpc import RatingServiceServicer


class RatingServicer(RatingServiceServicer):
    """Leaderboards, and the match behind each change."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def ListRatingPools(self, request: pb.ListRatingPoolsRequest, context: Context) -> pb.ListRatingPoolsResponse:
        """List the pools."""
        page = await in_thread(
            ratings.list_pools,
            self._site.store,
            game=request.game,
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListRatingPoolsResponse(
            pools=[wire.pool(each) for each in page.items], next_page_token=page.next_page_token
        )

    async def ListRatings(self, request: pb.ListRatingsRequest, context: Context) -> pb.ListRatingsResponse:
        """List a pool's bot versions, best first."""
        number = wire.parse_id(request.pool_id, "rating pool")
        found = await in_thread(ratings.get_pool, self._site.store, number)
        page = await in_thread(
            ratings.leaderboard,
            self._site.store,
            number,
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListRatingsResponse(
            pool=wire.pool(found),
            ratings=[wire.rating(row, PROVISIONAL_SIGMA) for row in page.items],
            next_page_token=page.next_page_token,
            provisional_sigma=PROVISIONAL_SIGMA,
        )

    async def ListRatingChanges(
        self, request: pb.ListRatingChangesRequest, context: Context
    ) -> pb.ListRatingChangesResponse:
        """List what each rated match changed for a bot, newest first."""
        page = await in_thread(
            ratings.history,
            self._site.store,
            request.bot,
            version=request.version,
            pool_id=wire.parse_id(request.pool_id, "rating pool") if request.pool_id else 0,
            page_size=page_size(request.page_size),
            page_token=request.page_token,
        )
        return pb.ListRatingChangesResponse(
            changes=[wire.rating_change(each) for each in page.items], next_page_token=page.next_page_token
        )

    async def CompareBots(self, request: pb.CompareBotsRequest, context: Context) -> pb.CompareBotsResponse:
        """Compare two bots by their common blocks, pool by pool."""
        found = await in_thread(
            comparing.compare,
            self._site.store,
            request.bot,
            request.other_bot,
            version=request.version,
            other_version=request.other_version,
            tournament=request.tournament,
        )
        return pb.CompareBotsResponse(comparisons=[figures.comparison(each) for each in found])

    async def GetReliability(self, request: pb.GetReliabilityRequest, context: Context) -> pb.GetReliabilityResponse:
        """Return how well a pool's ratings predicted."""
        number = wire.parse_id(request.pool_id, "rating pool")
        return figures.reliability(*await in_thread(comparing.predictions, self._site.store, number))
