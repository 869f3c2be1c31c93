"""The games behind other people's interfaces: PettingZoo and OpenSpiel, each an optional extra."""
