{% set w, lanes, set1 = 256, "Four", "set1_epi64x" -%}
{% include "c/real.h.j2" %}
