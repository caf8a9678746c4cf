"""Random bodies at rest, or nearly, on contacts that stick or slide, judged by least change."""
