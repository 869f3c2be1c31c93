"""An arena on this machine: its data folder, its broker, its processes and the program that keeps them running."""
