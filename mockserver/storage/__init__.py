"""Reading and writing snapshots."""
