"""Small vibrations about a nominal motion: [Schwab2002] chapter 4."""
