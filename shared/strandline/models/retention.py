"""Retention rules: how long an account's content is kept. Pure.

Expired content stays expired, even if a later rule would keep it longer.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from strandline.models.base import Time, Value

MAX_DAYS = 3_650


class RetentionRule(Value):
    """How many days one kind of content is kept after it was made; None means for ever.

    `since` is when the rule was set. What was made at or before `gone_before` had already expired
    then, under an earlier rule.
    """

    days: int | None = None
    since: Time | None = None
    gone_before: Time | None = None

    def horizon(self, at: datetime) -> datetime | None:
        """Returns the latest time of making that has expired by `at`; None if nothing has."""
        by_age = at - timedelta(days=self.days) if self.days is not None else None
        return max((time for time in (by_age, self.gone_before) if time is not None), default=None)

    def expired_at(self, made_at: datetime, at: datetime) -> datetime | None:
        """Returns when content made at `made_at` expired; None if it hasn't by `at`.

        Content that was too old already when the rule was set expired at that time: the rule
        doesn't know when it expired under an earlier rule.
        """
        horizon = self.horizon(at)
        if horizon is None or made_at > horizon:
            return None
        set_at = self.since or made_at
        before = self.gone_before is not None and made_at <= self.gone_before
        if self.days is None or before:
            return set_at
        return max(made_at + timedelta(days=self.days), set_at)

    def changed(self, days: int | None, at: datetime) -> "RetentionRule":
        """Returns the rule with other days, in force from `at`; itself if nothing changes."""
        if days == self.days:
            return self
        return RetentionRule(days=days, since=at, gone_before=self.horizon(at))


KEEP_FOREVER = RetentionRule()
"""The rule of an account that never set one."""

RULE_BY_PROFILE_FIELD = {"turn_retention_days": "turns", "memory_retention_days": "memories"}
"""The profile's fields with retention days, and the rule that each of them sets."""


class Retention(Value):
    """An account's retention rules, and the id of the job that removes expired content."""

    turns: RetentionRule = KEEP_FOREVER
    memories: RetentionRule = KEEP_FOREVER
    job_id: str | None = None

    @property
    def days(self) -> Mapping[str, int | None]:
        """The days of each rule, by the profile's fields."""
        return {field: getattr(self, rule).days for field, rule in RULE_BY_PROFILE_FIELD.items()}

    @property
    def expires_anything(self) -> bool:
        """Whether any content will expire."""
        return any(days is not None for days in self.days.values())

    def changed(self, days: Mapping[str, int | None], at: datetime) -> "Retention":
        """Returns the rules with other days, given by the profile's fields, in force from `at`."""
        rules = {
            RULE_BY_PROFILE_FIELD[field]: getattr(self, RULE_BY_PROFILE_FIELD[field]).changed(n, at)
            for field, n in days.items()
        }
        return self.model_copy(update=rules)


KEEP_ALL = Retention()
"""The retention of an account that never set one: everything is kept."""
