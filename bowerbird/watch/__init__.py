"""The spectator protocol, one package for each version. `v1` is generated from `proto/bowerbird/watch/v1/`."""
