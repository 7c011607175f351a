"""The speed-of-light projection of the MQX paper, from one core to a whole CPU, and the results of other papers."""
