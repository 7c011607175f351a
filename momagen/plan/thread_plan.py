"""Plans of transforms for threads in blocks that share a memory, in as few launches as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel

from .planners.breakdowns import breakdown_of
from .schedule.checks.check import edited
from .schedule.checks.limits import ScheduleLimits
from .schedule.launches import LaunchPlan, launches_of, scheduled
from .schedule.passes import settled
from .schedule.transform import ScheduledTransform
from .schedule.types import Breakdown, Schedule, Step
from .threads.flow import SlotFlow, slot_flow
from .threads.launches import Launches


def _of_limbs(spec: Spec) -> str:
    """Return the first option that requests reduced-radix limbs, or ""."""
    asked = spec.options.names(OptionGroup.TILING, *[OptionGroup.LIMBS] * (spec.options.limbs == "reduced"))
    return "".join(asked[:1])


LIMITS = (
    Limit(_of_limbs, "{1}", "`{1}` does not apply to {0.target.name}, which has no reduced-radix limbs", "omit `{1}`"),
    Limit(lambda spec: spec.columns & spec.columns - 1,
          "columns", "{0.columns}", expected="a power of two on {0.target.name}"),
)  # fmt: skip
"""The options and parameters that transforms on threads do not support."""


@dataclass(frozen=True)
class ThreadPlan(ScheduledTransform):
    """A plan of one transform."""

    lanes = 1
    """The number of lanes of a vector, since a thread processes single residues."""

    def __post_init__(self) -> None:
        check(self.spec, LIMITS)

    @property
    def radix(self) -> int:
        """The largest radix of a pass, which the registers of a thread limit."""
        held = 1 << max(1, (self.target.held // self.arith.words).bit_length() - 1)
        return min(self.spec.options.radix or min(held, 16), self.spec.n)

    @cached_property
    def asked(self) -> Breakdown:
        """The transform and the breakdown of the planner. All columns are index bits."""
        return settled(breakdown_of(self.spec, self.product, self.radix, even=True, columns=self.spec.columns))

    @cached_property
    def flow(self) -> SlotFlow:
        """The steps, before they are distributed over launches."""
        return slot_flow(self.asked, self.arith, self.spec.ranges.input, self.spec.ranges.output)

    @cached_property
    def schedule(self) -> Schedule:
        """The steps of the transform, distributed over launches: the planned ones, or those of an option.

        Raises:
            MomagenError: The schedule of the option does not compute the transform.
        """
        size = self.arith.stride * self.target.word // 8
        if text := self.spec.options.schedule:
            spec, room = self.spec, self.target.first.bytes // size
            bounds = spec.ranges.input, spec.ranges.output
            limits = ScheduleLimits(self.asked, self.arith, spec.columns, *bounds, room=room)
            return edited(text, limits, MachineModel.THREADS)
        machine = self.target.memory, self.target.threads, self.resident, self.sharing
        found = [self._resident(each) for each in Launches(self.flow, size, *machine).plans()]
        return scheduled(self.asked, found, self.arith, self.spec.ranges.input)

    @cached_property
    def launches(self) -> Sequence[LaunchPlan]:
        """The launches, in the order of execution."""
        return launches_of(self.schedule)

    @property
    def resident(self) -> int:
        """The number of blocks that should share a processor, so that some of them compute while others wait.

        The target states it by the width of a residue, because registers must suffice without spills.
        """
        bits, rows = self.arith.words * self.arith.word, self.target.resident.items()
        return next((blocks for most, blocks in sorted((int(key), blocks) for key, blocks in rows) if bits <= most), 1)

    @property
    def sharing(self) -> int:
        """The number of blocks for which shared memory must suffice, so that some of them compute while others wait.

        If a residue is one word, transforms are limited by memory alone. Half as many blocks then have larger
        tiles and need fewer launches.
        """
        return self.target.sharing if self.arith.words > 1 else max(1, self.target.sharing // 2)

    def _resident(self, launch: LaunchPlan) -> LaunchPlan:
        """Return a launch with the number of its blocks that should share a processor.

        It is smaller if blocks have more threads, and by one if the launch scales or multiplies its results,
        which takes more registers.
        """
        scales = any(stage.step and stage.step.scaled for stage in launch.stages)
        most = max(launch.nest.threads, self.target.threads)
        plain, multiplying = (
            max(1, (self.resident - more) * self.target.threads // most) for more in (scales, True)
        )  # fmt: skip
        nest = replace(launch.nest, resident=plain, resident_multiplying=multiplying * self.product)
        return replace(launch, nest=nest)

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the plan for reports."""
        count = len(self.launches)
        return [f"{count} kernel launch{'es' * (count > 1)}, whose blocks hold {self._tiles} residues in shared memory"]

    @property
    def _tiles(self) -> str:
        """The numbers of residues in the tiles of all launches."""
        return ", ".join(f"2^{len(launch.tile)}" for launch in self.launches)

    @property
    def why(self) -> str:
        """The properties of the machine that determine the radix and the launches."""
        shared = self.target.first
        memory = f"{shared.bytes // 1024} KiB of {shared.name} for {self.sharing} blocks"
        return f"radix     limited by {self.target.held} words in registers; launches: by {memory}"

    def words_of_tables(self, at: int, steps: Sequence[Step]) -> int:
        """Return the number of words of the tables of steps, in which residues occupy whole 64-bit words."""
        return sum(step.entries for step in steps) * self.arith.stride * len(self.arith.columns)
