"""The attack suite: attacks on a verifier as data, and what runs them against this installation.

attack.py      one entry: how it works, what is submitted, what must come out, its honest twin
reading.py     entries from their files, and what is wrong with one
attacks/       the entries, one file each; project/ is what they are submissions to
plant.py       hostile working trees and result folders, made from a recipe
naive.py       what a verifier does that has none of our ways with git: the other half of an ablation
bench.py       a bench on which one submission after another is judged, sharing base
trial.py       one submission judged, and whether that is what the entry says
campaign.py    all of it, several at a time
progress.py    how far it is, in one line
table.py       for people
"""
