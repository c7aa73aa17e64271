"""What a privacy desk asks in a person's name: access, portability, erasure; how far it is, and who is told.

A request is a row that outlives its person, with ids, codes and times and no words. `config/opendsr` is the way in.
"""
