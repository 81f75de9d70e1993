"""The checks of `bowerbird check-bot`, grouped by the moment of a session that they try.

Input: a bot under test (`driver.bot_under_test`). Output: the findings of a check in words; CheckFailedError if the
bot breaks the requirement, NotReachedError if it cannot be tried.
Open first: `starting`, and `bowerbird.harness.extras.compliance.requirements`, which lists the checks in order.
"""
