"""The recrawl policies, a module each."""
