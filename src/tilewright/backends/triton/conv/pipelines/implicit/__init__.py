"""implicit: a matrix product over gathered pixels."""

PLACE = 0
WHAT = "a matrix product over gathered pixels"
