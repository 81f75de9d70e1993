"""The protocol of seats, one package for each version: start with `v1`, generated from `proto/bowerbird/seat/v1/`."""
