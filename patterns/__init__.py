"""Rules and vocabulary: reads text and returns readings. It knows no users, messages or facts.

Face:
    admin admin_rows alternatives errors models registry rollout rule selectors types
    grammar: grammar kinds
    kinds: table
    kinds.ban: objects reading
    kinds.body: size_values
    kinds.budget: amounts
    kinds.event: reading
    management: command
    matching: lexicon phrases triggers word_lists
    rules: accuracy differences examiners lint pack reasons ruleset
    services: bundles drafting history packs publications publishing refusals trials
    statements: persons reports vetoes
    steps: dates language message numbers
    text: arabic caches cues data_files decisions excerpts lexemes normaliser polarity recurring sentences
    text: statements_of_answers stems token_pieces tokens transliteration
"""
