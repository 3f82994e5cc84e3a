"""hopper: a matrix product over boxes of pixels that TMA fetches."""

PLACE = 5
WHAT = "a matrix product over boxes of pixels that TMA fetches"
