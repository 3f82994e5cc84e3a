"""Results for people: tables and plots."""

from __future__ import annotations
