"""Names for test cases that are the same in every process."""


def steady(value: object) -> str:
    """The value as it shows itself, or its class where that would show an address in memory."""
    return type(value).__name__ if " at 0x" in repr(value) else repr(value)
