"""Seats a bot of OpenSpiel at our table of euchre, over the protocol.

Idea: OpenSpiel (M. Lanctot and others, 2019) has euchre, too, and its bots choose an action for one of its states.
Such a state holds all cards. So for each decision a world is drawn that looks like the view
(`bowerbird.engine.Sampler`), the same hand is dealt there, and every decision so far is repeated (`hand`). The bot's
choice comes back as our action. An honest bot uses only its information state, which is the same in every such world;
one that peeks sees cards that were drawn by lot.

`--bot` names the bot: `ismcts`, OpenSpiel's information set search in C++, with `--simulations`; any bot that OpenSpiel
has registered, such as `uniform_random`; or `MODULE:FUNCTION`, a function of yours that is called with the game, the
seat and a seed and returns a `pyspiel.Bot`. Needs `bowerbird[openspiel]`.

OpenSpiel plays single hands for points, as the hands of a match are. It does not have every option of euchre: `hand`
says which tables it refuses. Open first: `hand`.
"""
