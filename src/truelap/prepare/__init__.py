"""Stations that may change the tree: collect, admit, restore, rebuild."""
