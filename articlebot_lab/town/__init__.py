"""A town of small news sites of unlike build, with known truth: what a crawler finds when it is given one address."""
