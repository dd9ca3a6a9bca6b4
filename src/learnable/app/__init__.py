"""The command line: study a table, list the models, explain one."""
