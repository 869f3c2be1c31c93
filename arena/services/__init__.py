"""Use cases of the platform; one function each.

Every function takes the opened Store first, the caller's Account where rights matter, and `now`, an aware datetime in
UTC; none reads a clock. Each is one transaction. All raise errors of arena.core.errors, and Unavailable when the
database cannot be reached. Listings take page_size (1 .. 1000, 0 means 100) and the opaque page_token of the page
before; a token that is not one raises UsageError (BAD_PAGE_TOKEN).
"""
