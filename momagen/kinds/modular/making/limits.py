"""The combinations of parameters, options and targets that no kind of kernel modulo q supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.formula.breakdown import RING
from momagen.kernels.elementwise.forms import MONTGOMERY
from momagen.kernels.elementwise.frame import FOLDED
from momagen.kinds.limits import Limit
from momagen.kinds.modular.parameters import modular_parameters
from momagen.languages import COMPILED, MachineModel

if TYPE_CHECKING:
    from momagen.kinds.modular.spec import Spec

    from .request import KernelRequest

REASONED = ("n", "generator", "target")
"""The parameters that have separate limits, or that every request has."""
SCHOOLBOOK = "schoolbook"
"""The default of the option ``multiply``, which all targets support."""


def on_device(request: KernelRequest | Spec) -> bool:
    """Return whether the target computes in threads or on arrays."""
    return request.target.machine in (MachineModel.THREADS, MachineModel.ARRAYS)


def _foreign(asked: KernelRequest) -> str:
    """Return the first parameter of a request that its kind does not have, or ""."""
    own = (*asked.kind.parameters, *REASONED)
    foreign = (each for name, each in modular_parameters().items() if name not in own)
    return next((each.name for each in foreign if not each.is_usual(getattr(asked, each.field, each.usual))), "")


def _several(asked: KernelRequest) -> str:
    """Return the parameter that excludes transforms of any size, or ""."""
    return "columns" if asked.columns > 1 else "moduli" if asked.basis else ""


PARAMETERS = (
    Limit(_foreign, "{1}", "`{1}` does not apply to {0.kind}", "omit `{1}`"),
    Limit(lambda asked: asked.sized and "max_n" not in asked.kind.parameters,
          "n", '`n="any"` applies only to ntt, not to {0.kind}', "use a number of points"),
    Limit(lambda asked: asked.blas and asked.n,
          "n", "`n` does not apply to element-wise kernels, which take vectors of any length", "omit `n`"),
    Limit(lambda asked: asked.blas and asked.generator is not None, "generator",
          "`generator` does not apply to {0.kind}, which has no root of unity", "omit `generator`"),
)  # fmt: skip
"""The parameters that a kind does not support."""
ON_TARGETS = (
    Limit(lambda spec: spec.coset and spec.order != "bitrev" and spec.target.machine is MachineModel.THREADS,
          "order", '`order="{0.order}"` cannot be combined with `coset` on {0.target}', 'use `order="bitrev"`'),
)  # fmt: skip
"""The parameters that exclude one another on some targets, for requests and for specifications."""
AUTOMORPHISMS = (
    Limit(lambda asked: asked.automorphism != 1 and asked.coset, "automorphism",
          "`automorphism` cannot be combined with `coset`, because automorphisms move the coset",
          "omit one of the two"),
    Limit(lambda asked: asked.automorphism != 1 and asked.degree > 1, "automorphism",
          "`automorphism` cannot be combined with `depth`, because automorphisms need a complete transform",
          "omit one of the two"),
)  # fmt: skip
"""The parameters that exclude automorphisms."""
COMBINATIONS = (
    Limit(lambda asked: asked.coset and asked.negacyclic, "coset",
          "`coset` cannot be combined with `negacyclic`, which evaluates on a coset of its own", "omit one of the two"),
    *ON_TARGETS,
    Limit(lambda asked: asked.coset and asked.options.algorithm not in (None, RING), "algorithm",
          '`algorithm="{0.options.algorithm}"` cannot be combined with `coset`', f'use `algorithm="{RING}"`'),
    Limit(lambda asked: asked.sized and asked.depth is not None,
          "depth", '`depth` cannot be combined with `n="any"`', "use a number of points"),
    Limit(lambda asked: asked.coset and asked.degree > 1, "coset",
          "`coset` cannot be combined with `depth`, because cosets need a complete transform", "omit one of the two"),
    *AUTOMORPHISMS,
    Limit(lambda asked: asked.sized and _several(asked),
          "n", '`n="any"` cannot be combined with `{1}`', "use a number of points"),
    Limit(lambda asked: asked.basis and asked.options.bake is not None,
          "bake", "`bake` cannot be combined with `moduli`", "omit `bake`, or use a single `modulus`"),
)  # fmt: skip
"""The parameters that exclude one another, on all or some targets."""
THREADS_IN_C = Limit(
    lambda request: request.threads and request.target.syntax != COMPILED, "threads",
    "`threads` is available only on targets in C, not on {0.target}", "omit `threads`",
)  # fmt: skip
"""The targets on which threads cannot share a call; kernels on the rows of a basis have this limit, too."""
QUOTIENTS = Limit(
    lambda request: request.options.quotients and request.options.reduction, "quotients",
    "`quotients` cannot be combined with `reduction`, which determines the quotients", "omit `quotients`",
)  # fmt: skip
"""The two options that select the reduction of products by constants."""
OPTIONS = (
    QUOTIENTS,
    Limit(lambda spec: spec.options.form_bits is not None and not spec.form,
          "form_bits", '`form_bits` can only be used with `form="montgomery"`', "omit `form_bits`"),
    Limit(lambda spec: spec.form and spec.native,
          "form", "Montgomery form is not available on {0.target}", "use a target such as c"),
    Limit(lambda spec: spec.form and not spec.n and spec.options.reduction not in (None, MONTGOMERY), "reduction",
          '`reduction="{0.options.reduction}"` cannot be combined with `form="montgomery"`', "omit `reduction`"),
    Limit(lambda spec: spec.options.multiply not in (None, SCHOOLBOOK) and spec.native, "multiply",
          '`multiply="{0.options.multiply}"` is not available on {0.target}, which computes modulo q',
          "omit `multiply`"),
    Limit(lambda spec: spec.options.multiply not in (None, SCHOOLBOOK) and spec.target.chains_products, "multiply",
          '`multiply="{0.options.multiply}"` is not available on {0.target}, which adds products of words in carry'
          " chains", "omit `multiply`, or use a target such as c or cuda_words64"),
    THREADS_IN_C,
    Limit(lambda spec: spec.threads and spec.sums,
          "threads", "`threads` does not apply to inner products", "omit `threads`"),
    Limit(lambda spec: spec.threads and spec.sized,
          "threads", '`threads` cannot be combined with `n="any"`', "use a number of points"),
    Limit(lambda spec: spec.options.reduction == FOLDED and not spec.target.engine, "reduction",
          f'`reduction="{FOLDED}"` is not available on {{0.target}}, which has no matrix engines',
          'use `target="jax"`, or another `reduction`'),
)  # fmt: skip
"""The options that exclude one another, or that a target does not support."""
