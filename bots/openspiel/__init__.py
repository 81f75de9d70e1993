"""Seats a bot of OpenSpiel at our euchre tables, over the protocol.

Idea: OpenSpiel (M. Lanctot and others, 2019) has euchre, too, and its bots choose an action for one of its states. A
state contains all cards. So for each decision a world is drawn that matches the view (`bowerbird.engine.Sampler`), the
same hand is dealt there, and every decision so far is repeated (`hand`). The bot's choice comes back as our action. An
honest bot uses only its information state, which is the same in every such world. A bot that peeks sees only randomly
drawn cards.

`--bot` names the bot: `ismcts`, OpenSpiel's information set search in C++, with `--simulations`; any bot that OpenSpiel
has registered, such as `uniform_random`; or `MODULE:FUNCTION`, your own function, which is called with the game, the
seat and a seed and returns a `pyspiel.Bot`. Needs `bowerbird[openspiel]`.

OpenSpiel plays single hands for points, like the hands of a match. It does not have every option of euchre, so `hand`
refuses some tables. Open first: `hand`.
"""
