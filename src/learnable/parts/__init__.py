"""Small pure objects that the engines combine: losses, penalties, links and schedules."""
