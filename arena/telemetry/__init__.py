"""What an arena's processes show of themselves: structured logs, Prometheus figures, and whether they are well."""
