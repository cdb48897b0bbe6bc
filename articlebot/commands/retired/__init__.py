"""Commands of earlier versions: each does what its new name does, and says so."""
