import { type CredentialTest, DeckhandError, roleMay } from '@deckhand/contracts';
import { type Actor, requirePermission, visibleWorkspace } from '../access.ts';
import { type Change, recordChange } from '../audit/record.ts';
import type { Database } from '../client.ts';
import { readCircuit, readRateLimit, type SealedCredential } from './sealed-credentials.ts';

/** An encrypted credential that a person uses outside of a run. */
export interface TriedCredential extends SealedCredential {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
}

/**
 * Reads a credential for a person who tries it. Whoever tries a credential chooses where it is sent, so this needs the
 * right to use it in any workflow: a private one is for its owner, and one that is limited to workflows for its owner,
 * for admins, and for editors of these workflows.
 * @param workflowId the workflow whose node is being edited; undefined for none.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN.
 */
export async function readCredentialToTry(
  db: Database,
  actor: Actor,
  id: string,
  workflowId?: string,
): Promise<TriedCredential> {
  const row = await db.credential.findFirst({ where: { id, workspace: visibleWorkspace(actor, 'workflows.read') } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such credential' });
  const role = await requirePermission(db, actor, row.workspaceId, 'workflows.edit');
  const key = await db.apiKey.findFirst({
    where: { credentialId: id },
    select: { userId: true, revokedAt: true, expiresAt: true },
  });
  const ownerId = key ? key.userId : row.ownerId;
  if ((key || row.visibility === 'private') && ownerId !== actor.userId)
    throw new DeckhandError('FORBIDDEN', { message: 'Only its owner may use a private credential' });
  const isForWorkflow = row.allowedWorkflowIds.length === 0 || row.allowedWorkflowIds.some((one) => one === workflowId);
  if (!isForWorkflow && ownerId !== actor.userId && !roleMay(role, 'credentials.manage'))
    throw new DeckhandError('FORBIDDEN', {
      message: 'The credential is for some workflows only: its owner and admins may try it',
    });
  const hasEnded = key && (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt.getTime() <= Date.now()));
  return {
    ...{ id, workspaceId: row.workspaceId, name: row.name, type: row.type, sealedSecret: row.secret },
    ...{ isApiKey: key !== null, allowedHosts: row.allowedHosts },
    ...{ rateLimit: readRateLimit(row.rateLimit), circuit: readCircuit(row.circuit) },
    refusal: hasEnded === true ? 'ended' : null,
  };
}

/** Records that a credential is used outside of a run, before it is sent anywhere. */
export async function recordTrial(
  db: Database,
  actor: Actor,
  { id, workspaceId, name }: TriedCredential,
  { action, details }: Required<Pick<Change, 'action' | 'details'>>,
): Promise<void> {
  await recordChange(db, actor, { action, workspaceId, resourceId: id, details: { name, ...details } });
}

/**
 * Remembers the result of a test, unless the credential was deleted or got another secret meanwhile. The time of its
 * last change stays as it is: nobody who edits it meanwhile is interrupted.
 */
export async function storeCredentialTest(
  db: Database,
  { id, sealedSecret }: TriedCredential,
  result: CredentialTest,
): Promise<void> {
  await db.$executeRaw`UPDATE credentials SET last_test = ${JSON.stringify(result)}::jsonb
    WHERE id = ${id}::uuid AND secret = ${sealedSecret}`;
}
