"""Words in four languages as reading and search see them: normal forms, stems, names across scripts, word lists."""
