"""How good extraction is: samples that people judge, figures, and the switches that rest on them (SPEC X-4)."""
