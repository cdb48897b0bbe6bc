"""Wrappers that a site teaches by its own pages: learning, applying, storing and doubting them."""
