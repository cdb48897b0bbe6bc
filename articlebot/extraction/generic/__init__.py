"""Extraction from a page of an unknown site: blocks, their features, and the choice between candidates."""
