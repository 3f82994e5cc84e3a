"""Learning: data sets from measurements, training, evaluation, and all steps of `tilewright tune`."""
