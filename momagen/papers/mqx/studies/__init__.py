"""Two studies of the MQX paper: the errors of proxies (Tables 5 and 6), and what each part of MQX brings (Figure 6)."""
