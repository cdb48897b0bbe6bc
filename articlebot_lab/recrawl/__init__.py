"""Recrawl policies against real change histories."""
