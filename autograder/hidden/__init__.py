"""The hidden checks, one module a chapter: other inputs than the visible checks', same names."""
