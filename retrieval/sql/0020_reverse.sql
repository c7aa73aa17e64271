DROP INDEX what_was_said_of_facts;
