"""Every effect: git, files, processes, sandboxes, clocks."""
