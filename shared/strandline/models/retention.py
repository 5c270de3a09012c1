"""How long an account's content is kept. Pure.

What has expired stays so: a rule that keeps longer from then on brings nothing back.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from strandline.models.base import Time, Value

MAX_DAYS = 3_650


class RetentionRule(Value):
    """How many days one sort of content is kept since it was made; None is for ever.

    `since` is when the rule was set. What was made at or before `gone_before` had expired then,
    under the rules before it.
    """

    days: int | None = None
    since: Time | None = None
    gone_before: Time | None = None

    def horizon(self, at: datetime) -> datetime | None:
        """By `at`, what was made at or before this has expired; None if nothing has."""
        by_age = at - timedelta(days=self.days) if self.days is not None else None
        return max((time for time in (by_age, self.gone_before) if time is not None), default=None)

    def expired_at(self, made_at: datetime, at: datetime) -> datetime | None:
        """When what was made then expired, None if it hasn't by `at`.

        A rule takes what is too old already when it is set; when exactly that expired under an
        earlier rule, it doesn't know.
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
        """The rule from now on; the same one where nothing changes."""
        if days == self.days:
            return self
        return RetentionRule(days=days, since=at, gone_before=self.horizon(at))


KEEP_FOREVER = RetentionRule()
RULE_BY_FIELD = {"turn_retention_days": "turns", "memory_retention_days": "memories"}
"""A profile's fields, and the rules they are the days of."""


class Retention(Value):
    """An account's rules, and the job that removes what has expired under them."""

    turns: RetentionRule = KEEP_FOREVER
    memories: RetentionRule = KEEP_FOREVER
    job_id: str | None = None

    @property
    def days(self) -> Mapping[str, int | None]:
        """The days by the profile's fields."""
        return {field: getattr(self, rule).days for field, rule in RULE_BY_FIELD.items()}

    @property
    def lasts(self) -> bool:
        """Whether anything is going to expire."""
        return any(days is not None for days in self.days.values())

    def changed(self, days: Mapping[str, int | None], at: datetime) -> "Retention":
        """With other days, by the profile's fields."""
        rules = {
            RULE_BY_FIELD[field]: getattr(self, RULE_BY_FIELD[field]).changed(n, at)
            for field, n in days.items()
        }
        return self.model_copy(update=rules)


KEEP_ALL = Retention()
"""Of an account that never said how long: everything is kept."""
