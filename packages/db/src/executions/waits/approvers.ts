import { DeckhandError, type Role } from '@deckhand/contracts';
import { memberMay, requirePermissionOf } from '../../access.ts';
import { Prisma } from '../../client.ts';

/**
 * Whether the address of the person `me` is known to be theirs in the workspace of the membership `m`, as SQL. With an
 * invite for anybody, people choose their address. An invite for one counts in its workspace alone: elsewhere, others
 * choose for whom it is. Administrators had the token of the setup.
 */
const isProved = Prisma.sql`(me.is_admin OR EXISTS (SELECT 1 FROM identities d WHERE d.user_id = me.id)
      OR EXISTS (SELECT 1 FROM invites i
        WHERE i.workspace_id = m.workspace_id AND i.accepted_by = me.id AND i.email = me.email))`;

/**
 * Returns whether a member is among those who may answer a wait, as SQL: the wait `w`, the membership `m` and its
 * person `me`. Whoever is named needs no permission but to see it; without names, the role decides.
 */
export function isApprover(): Prisma.Sql {
  return Prisma.sql`CASE WHEN w.approver_people IS NULL AND w.approver_roles IS NULL THEN ${memberMay('approvals.answer')}
    ELSE coalesce(m.user_id::text = ANY (w.approver_people) OR (me.email = ANY (w.approver_people) AND ${isProved})
      OR m.role::text = ANY (w.approver_roles), false) END`;
}

/**
 * Returns whether four eyes keep a member from answering a wait, as SQL: the wait `w`, the membership `m`, the run `e`
 * and its version `v`. Whoever started the run or saved its version is involved, and whoever was in the runs before it.
 */
export function isInvolved(): Prisma.Sql {
  return Prisma.sql`(coalesce(w.four_eyes, false)
    AND (m.user_id IS NOT DISTINCT FROM e.started_by OR m.user_id IS NOT DISTINCT FROM v.created_by
      OR coalesce(m.user_id = ANY (e.involved), false)))`;
}

/** Who an actor is for a wait. */
export interface Answerer {
  /** Whether the actor is among those who may answer it; for the holder of a link, whether it limits nobody. */
  readonly isApprover: boolean;
  /** Whether it names approvers. */
  readonly isLimited: boolean;
  /** Whether four eyes keep the actor from answering it. */
  readonly isInvolved: boolean;
}

/**
 * Returns the columns of an `Answerer`, as SQL: as for `isApprover` and `isInvolved`. A wait that names approvers or
 * wants four eyes is not for holders of links: nobody can say who they are.
 * @param userId null for the holder of a link.
 */
export function answererOf(userId: string | null): Prisma.Sql {
  const isLimited = Prisma.sql`(w.approver_people IS NOT NULL OR w.approver_roles IS NOT NULL)`;
  return userId === null
    ? Prisma.sql`NOT ${isLimited} AND w.four_eyes IS NOT TRUE AS "isApprover", false AS "isInvolved",
      ${isLimited} AS "isLimited"`
    : Prisma.sql`${isApprover()} AS "isApprover", ${isInvolved()} AS "isInvolved", ${isLimited} AS "isLimited"`;
}

/** Returns whether an actor may answer a wait. */
export function mayAnswer({ isApprover: isOne, isInvolved: isOwn }: Answerer): boolean {
  return isOne && !isOwn;
}

/**
 * Checks that an actor may answer one of the waits of a node; without any, that the role may answer at all.
 * @param role null for the holder of a link.
 * @throws DeckhandError FORBIDDEN, with the reason; NOT_WAITING for the holder of a link.
 */
export function requireMayAnswer(waits: readonly Answerer[], role: Role | null): void {
  if (waits.some(mayAnswer)) return;
  const [wait] = waits;
  if (role === null) {
    if (wait) throw new DeckhandError('NOT_WAITING');
  } else if (!wait || (!wait.isLimited && !wait.isApprover)) {
    requirePermissionOf(role, 'approvals.answer');
  } else {
    const message = wait.isApprover
      ? 'Whoever started the run, or saved its version, may not answer this'
      : 'Only the approvers of this wait may answer it';
    throw new DeckhandError('FORBIDDEN', { message });
  }
}
