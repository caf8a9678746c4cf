"""One page that simulates and shows a model: its FMU's own C as WebAssembly, sliders and plots."""

from mbcore.page.write import write_page

__all__ = ["write_page"]
