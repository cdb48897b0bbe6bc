"""Delivering what was archived: outbox, routes and sinks."""
