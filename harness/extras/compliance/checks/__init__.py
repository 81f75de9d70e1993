"""The checks of `bowerbird check-bot`, grouped by the part of a session that they test.

Input: a bot under test (`driver.bot_under_test`). Output: the findings of a check in words; CheckFailedError if the bot
breaks the requirement, NotReachedError if it cannot be checked.
Open first: `starting`, and `bowerbird.harness.extras.compliance.requirements`, which lists the checks in order.
"""
