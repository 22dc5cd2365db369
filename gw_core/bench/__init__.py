"""Measuring: tasks with known truth, honest statistics, comparisons with a baseline, and reports.

Task plugins may import what is in here; nothing of the library beneath does.
"""
