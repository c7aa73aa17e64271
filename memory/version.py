"""The version of the fold. A rebuild under another one reports "engine changed" apart from drift (D-1)."""

ENGINE_VERSION = "1"
