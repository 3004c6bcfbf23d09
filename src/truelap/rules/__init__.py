"""Refusal rules, one file each."""
