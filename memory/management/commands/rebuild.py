"""script/manage rebuild"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.rebuild.running import compare_user, rebuild_user
from memory.rebuild.types import DRIFT, RULES_CHANGED, RebuildOutcome
from memory.selectors.users import get_user, list_users
from memory.tenants.command import CodedCommand
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from memory.types import TenantRef, UserRef

PAGE = 200


class Command(CodedCommand):
    help = """Fold messages and actions anew and make facts and index what they say, one transaction a user.
With --diff nothing is changed: every fact that is stored otherwise than the logs say is listed by id and type, with
the reason (drift, engine_changed, erased), and every row of the index, vector of the built-in embedder, candidate and
adaptive item that is not what its messages give. What the rules of today would read otherwise is one number
(rule_set_changed); --verbosity 2 lists it too. Ends with 1 when there is drift or a user was skipped.

examples:
  script/manage rebuild --tenant acme --diff
  script/manage rebuild --tenant acme --user customer-42
  script/manage rebuild --tenant acme --after 01934a3e-...   (go on where an earlier run was interrupted)
  script/manage rebuild --tenant acme --lost-keys            (when the key store is lost for good; look for it first)
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--user", help="your id of one user; default: all users")
        which.add_argument("--after", type=UUID, help="our id of the last finished user; continue after it")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--diff", action="store_true", help="compare only; change nothing")
        how.add_argument(
            "--lost-keys",
            action="store_true",
            help="the key store is lost for good: drop what cannot be decrypted, and learn again from the messages",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = get_tenant(slug=options["tenant"])
        tenant = TenantRef(id=found.id, zone=ZoneInfo(found.timezone))
        users = self.list_wanted(tenant, options)
        reasons: Counter[str] = Counter()
        done, skipped, reread, last = 0, 0, 0, None
        try:
            for user in users:
                try:
                    outcome = self.run_user(tenant, user, is_diff=options["diff"], is_key_lost=options["lost_keys"])
                except CodedError as error:
                    skipped += 1
                    self.stderr.write(f"user {user.id}: skipped ({error.code})")
                    continue
                self.report(outcome, is_whole=options["verbosity"] > 1)
                reread += RULES_CHANGED in outcome.count_reasons()
                reasons.update(outcome.count_reasons())
                done, last = done + 1, user.id
        except KeyboardInterrupt:
            where = f"--after {last}" if last else "from the beginning"
            raise CommandError(f"Interrupted after {done} users. Continue with: {where}", returncode=130) from None
        if options["diff"] and reread:
            self.stdout.write(
                f"The rules have changed: {reasons[RULES_CHANGED]} facts of {reread} users would be read otherwise now."
                " A rebuild reads them anew."
            )
        self.conclude(done, skipped, reasons, is_diff=options["diff"])

    def list_wanted(self, tenant: TenantRef, options: dict[str, Any]) -> Iterator[UserRef]:
        """The users that are meant, in the order in which they first came. Raises UserNotFound."""
        if options["user"]:
            with tenant_scope(tenant.id):
                return iter([get_user(tenant_id=tenant.id, external_id=options["user"])])
        return self.list_all(tenant, after=options["after"])

    def list_all(self, tenant: TenantRef, *, after: UUID | None) -> Iterator[UserRef]:
        """Every user after the given one, a page at a time."""
        while True:
            with tenant_scope(tenant.id):
                page = list_users(tenant_id=tenant.id, after=after, limit=PAGE)
            for row in page:
                yield UserRef(id=row.id, tenant_id=tenant.id, external_id=row.external_id)
            if len(page) < PAGE:
                return
            after = page[-1].id

    def run_user(self, tenant: TenantRef, user: UserRef, *, is_diff: bool, is_key_lost: bool) -> RebuildOutcome:
        """Compare or rebuild one user."""
        if is_diff:
            return compare_user(tenant=tenant, user=user)
        return rebuild_user(tenant=tenant, user=user, now=timezone.now(), is_key_lost=is_key_lost)

    def report(self, outcome: RebuildOutcome, *, is_whole: bool) -> None:
        """One line a user, one a difference: ids, types and names of columns.

        What other rules would read is counted by `conclude`, and listed where the whole is wanted.
        """
        told = outcome if is_whole else outcome.leave_out(RULES_CHANGED)
        derived = "".join(f", {count} rows of {name}" for name, count in outcome.derived.items())
        derived += "".join(f", {count} {name} could not be opened" for name, count in outcome.lost.items())
        self.stdout.write(
            f"user {outcome.user_id}: {outcome.messages} messages, {outcome.facts} facts,"
            f" {len(told.differences)} differences{derived}"
        )
        for each in told.differences:
            columns = f" ({', '.join(each.columns)})" if each.columns else ""
            self.stdout.write(f"  {each.reason}: fact {each.fact_id} {each.knowledge_type} {each.problem}{columns}")
        for row in told.derived_differences:
            columns = f" ({', '.join(row.columns)})" if row.columns else ""
            named = row.row_id or f"of message {row.message_id}"
            self.stdout.write(f"  {row.reason}: {row.table} {named} {row.problem}{columns}")

    def conclude(self, done: int, skipped: int, reasons: Counter[str], *, is_diff: bool) -> None:
        """The sum, and the exit code."""
        said = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()) if count) or "no differences"
        self.stdout.write(f"{done} users {'compared' if is_diff else 'rebuilt'}: {said}")
        if skipped:
            raise CommandError(f"{skipped} users were skipped.")
        if is_diff and reasons[DRIFT]:
            raise CommandError(f"{reasons[DRIFT]} rows differ without a reason.")
