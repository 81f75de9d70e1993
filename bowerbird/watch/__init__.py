"""The protocol of spectators, one package for each version: start with `v1`, from `proto/bowerbird/watch/v1/`."""
