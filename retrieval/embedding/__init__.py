"""Vectors of texts behind one interface: built in, over the network, or a local sentence model (SPEC E-1)."""
