"""Named variables: parameters, inputs, states, events, outputs."""
