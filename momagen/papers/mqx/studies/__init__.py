"""Two studies of the MQX paper: the errors of proxies (Tables 5 and 6), and the effect of MQX's parts (Figure 6)."""
