"""The bar that a terminal shows for the phases of a command."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text


class _LeftColumn(ProgressColumn):
    """The column of a bar that shows the remaining time."""

    def render(self, task: Task) -> Text:
        """Return the estimate of the phase that the bar shows."""
        return Text(task.fields["estimate"].left_text)


def phase_bar(screen: Console) -> Progress:
    """Return a bar on ``screen``; its tasks have a field ``estimate``, an ``Estimate`` of the module ``progress``."""
    name, what = TextColumn("{task.description:<12}"), TextColumn("{task.fields[estimate].what}", markup=False)
    columns = (SpinnerColumn(), name, BarColumn(), TimeElapsedColumn(), _LeftColumn(), what)
    return Progress(*columns, console=screen, transient=True)
