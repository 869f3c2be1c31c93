"""The bots that come with the arena, each a folder like anybody's: bot.toml and bot.py."""
