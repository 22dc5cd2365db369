"""The version of the distribution gw-toolkit, without asking the package database."""

__version__ = "0.1.0"
