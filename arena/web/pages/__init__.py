"""What the page shows, one module a subject; each has the routes of its addresses."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from arena.web.pages import front, replay, service, session

ROUTERS: Final[tuple[APIRouter, ...]] = (front.router, session.router, service.router, replay.router)
