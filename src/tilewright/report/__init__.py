"""Showing results to people: tables now; plots and pages later."""

from __future__ import annotations
