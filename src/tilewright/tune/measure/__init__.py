"""Measuring: timers, meters, the measuring process, stations, and the sweep over candidates."""
