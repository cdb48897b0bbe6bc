"""What a site asks of those who visit it and use what they find: robots.txt, robots tags, reservations."""
