"""Tables of mistakes that a careless user makes, each with what the message must say."""
