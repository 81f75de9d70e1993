"""The seat protocol, one package for each version. `v1` is generated from `proto/bowerbird/seat/v1/`."""
