"""The version of the distribution gw-toolkit, without asking the package database."""

VERSION = "0.1.0"
