"""thin: a 1x1 convolution of few channels; each pixel is read once past weights that stay."""

PLACE = 6
WHAT = "1x1 of few channels, each pixel read once past weights that stay"
