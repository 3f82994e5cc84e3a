"""Measuring: timers, meters, the process that measures, stations, and the sweep over candidates."""
