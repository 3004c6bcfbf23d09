"""Checks: each measures base against candidate and never changes a tree."""
