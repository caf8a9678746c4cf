"""One task at many values of parameters: in processes of this machine, or on a cluster."""
