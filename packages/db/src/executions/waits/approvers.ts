import { memberMay } from '../../access.ts';
import { Prisma } from '../../client.ts';

/**
 * Returns whether a member is among those who may answer a wait, as SQL: the wait `w`, the membership `m` and its
 * person `me`. Whoever is named needs no permission but to see it; without names, the role decides.
 */
export function isApprover(): Prisma.Sql {
  return Prisma.sql`CASE WHEN w.approver_people IS NULL AND w.approver_roles IS NULL THEN ${memberMay('approvals.answer')}
    ELSE coalesce(m.user_id::text = ANY (w.approver_people) OR me.email = ANY (w.approver_people)
      OR m.role::text = ANY (w.approver_roles), false) END`;
}

/**
 * Returns whether four eyes keep a member from answering a wait, as SQL: the wait `w`, the membership `m`, the run `e`
 * and its version `v`. Whoever started the run or saved its version is involved.
 */
export function isInvolved(): Prisma.Sql {
  return Prisma.sql`(coalesce(w.four_eyes, false)
    AND (m.user_id IS NOT DISTINCT FROM e.started_by OR m.user_id IS NOT DISTINCT FROM v.created_by))`;
}
