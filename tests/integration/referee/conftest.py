"""A referee process for a test."""

import pytest_asyncio
from refereeing import referee_process


@pytest_asyncio.fixture
async def referee(tmp_path):
    async with referee_process(tmp_path) as process:
        yield process
