"""Systems of the literature and of practice; each file with ``main`` runs alone."""
