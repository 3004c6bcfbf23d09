"""Workers that run base's benchmarks on either side, for every station that needs them.

cases.py      base's benchmarks, and which of them are asked for
parameters.py whether the candidate's parameters are base's
venue.py      what all workers of a station have in common
worker.py     one live worker: what is asked of it, what it cost by the kernel's clocks
track.py      where both workers live
discovery.py  asks base what its suite holds
valuing.py    asks for what benchmarks say that is no time
selecting.py  a station's venue and its cases
"""
