"""The built-in plugins of gw, installed as ``gw_plugins`` and found by entry points like any other."""
