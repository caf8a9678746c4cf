"""The machine: files that users name, temporary folders, worker processes, threads."""
