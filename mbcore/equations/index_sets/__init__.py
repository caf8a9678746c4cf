"""The index sets of [Schwab2002] Appendix A."""
