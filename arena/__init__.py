"""The arena: rules, matches, ladder, hosting, services and the doors to them."""
