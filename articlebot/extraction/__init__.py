"""Articles out of pages: learned wrappers, generic rules, page kinds, walls and lists."""
