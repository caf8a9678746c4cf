"""Terms of linearized equations one by one, as the summary of [Schwab2002] Appendix A has them."""
