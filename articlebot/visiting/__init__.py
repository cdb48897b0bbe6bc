"""Visits of the article spider: what is due, what an answer leads to, what is kept of it."""
