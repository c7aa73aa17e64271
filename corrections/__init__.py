"""What the user says is wrong: its recognition, its log and its effects; rates by language (SPEC section 7).

Face:
    models tasks
    backtests: comparing masking running selectors
    evaluation: golden
    models: promotion
    promotion: deciding weighing
    quality: governor reading
    quality.calibration: deciding night
    recognition: detector reasons types
    review: assignment figures golden listing message_cases queue remarks reopening sampling types verdicts watch
    selectors: cards log rates rule_figures
    services: log
"""
