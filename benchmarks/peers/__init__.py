"""gw beside other programs: the same documents, the same questions, one run.

Every system is used the best way that its own code and documentation allow; how, stands in its module in
:mod:`peers.systems`. :mod:`peers.run` measures and :mod:`peers.report` writes the tables.
"""
