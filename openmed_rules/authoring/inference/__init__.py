"""A rule file from samples: a citation carries the name of a record, so its place can be found by looking."""
