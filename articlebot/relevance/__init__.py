"""What a user cares about, and which pages and links come near it (design B)."""

from articlebot.relevance.focus import Focus
from articlebot.relevance.judge import Judge
from articlebot.relevance.pool import Pool, Waiting
from articlebot.relevance.topic import Topic, load_topic

__all__ = ["Focus", "Judge", "Pool", "Topic", "Waiting", "load_topic"]
