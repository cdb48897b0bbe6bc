"""Looks at a site: what its address alone offers."""
