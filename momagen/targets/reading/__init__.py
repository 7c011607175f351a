"""The parts of reading a target: the requirements of its language, and the files that it was read from."""
