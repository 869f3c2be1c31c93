"""The web page: server-rendered, on the services, for people with and without an account."""
