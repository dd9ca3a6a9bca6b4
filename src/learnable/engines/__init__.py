"""The few machines that learn."""
