"""What a user types, in a subprocess: exit code, output, queue and archive. Nothing of the product is imported."""
