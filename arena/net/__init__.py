"""How processes of the arena reach each other and the world: addresses, certificates, and where plain text may go."""
