"""The sinks that come with articlebot."""
