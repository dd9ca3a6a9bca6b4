"""Readers of tables: delimited text, JSON, Arrow, workbooks, and the types of their columns."""
