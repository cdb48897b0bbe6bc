"""The recrawl policies: the default, and those that it is compared with."""
