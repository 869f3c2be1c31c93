"""What `arena check` does with a bot: matches through a relay that looks on, and what is concluded from them."""
