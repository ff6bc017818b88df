import { type CredentialLimits, validationFailed } from '@deckhand/contracts';
import type { Queryable } from '../client.js';

/**
 * Returns the columns that limit the use of a credential. Members that are left out keep their values.
 * @throws DeckhandError VALIDATION_FAILED for a workflow that is not in the workspace.
 */
export async function toLimitColumns(
  db: Queryable,
  workspaceId: string,
  { visibility, allowedHosts, allowedWorkflowIds }: CredentialLimits,
) {
  const ids = allowedWorkflowIds?.map((id) => id.toLowerCase());
  if (ids !== undefined) {
    const found = await db.workflow.findMany({ where: { id: { in: ids }, workspaceId }, select: { id: true } });
    const known = new Set(found.map(({ id }) => id));
    const issues = ids.flatMap((id, index) =>
      known.has(id) ? [] : [{ path: `allowedWorkflowIds[${index}]`, message: 'is no workflow of this workspace' }],
    );
    if (issues.length > 0) throw validationFailed(issues);
  }
  return {
    ...(visibility === undefined ? {} : { visibility }),
    ...(allowedHosts === undefined ? {} : { allowedHosts: [...(allowedHosts ?? [])] }),
    ...(allowedWorkflowIds === undefined ? {} : { allowedWorkflowIds: ids ?? [] }),
  };
}
