"""Learning: data sets from measurements, training, judging, and the whole way of `tilewright tune`."""
