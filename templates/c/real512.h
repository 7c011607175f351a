{% set w, lanes, set1 = 512, "Eight", "set1_epi64" -%}
{% include "c/real.h.j2" %}
