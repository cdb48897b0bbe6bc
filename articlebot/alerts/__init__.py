"""What people are told of: events that begin and end, each told once in the whole cluster, by webhook or command."""
