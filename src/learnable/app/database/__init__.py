"""Tables from databases: the result of a query, read without writing anything."""

from .read_query import read_query
from .url import is_database, public_name, without_password

__all__ = ["is_database", "public_name", "read_query", "without_password"]
