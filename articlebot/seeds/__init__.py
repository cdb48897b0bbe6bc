"""Finding what to follow: a site's own entry pages, and sites by asking search engines."""
