"""What both makes of GPU share: drivers, detection, prepared launches, timing, code objects."""
