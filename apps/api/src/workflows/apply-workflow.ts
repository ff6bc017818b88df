import { ApplyWorkflowBody, compileLenientCheck } from '@deckhand/contracts';
import {
  type Actor,
  applyWorkflow,
  findWorkflowsBySlug,
  type FirstDue,
  type Precondition,
  tryApplyingWorkflow,
  type WantedWorkflow,
} from '@deckhand/db';
import { parseWithDefinition } from '../definitions.ts';
import type { ResourceContext } from '../contexts.ts';
import { prepareVersion } from './prepare-version.ts';
import { workflowAnswer } from './workflow-answer.ts';

const check = compileLenientCheck(ApplyWorkflowBody);

async function prepare(context: ResourceContext, actor: Actor, asked: unknown) {
  const { db, nodeTypes } = context;
  const { body, compiled } = await parseWithDefinition(check, asked, { by: actor.userId, nodeTypes });
  const { slug, name, definition: _, comment = '', ...rest } = body;
  const workspaceId = rest.workspaceId.toLowerCase();
  const { workspaceId: __, ...changes } = rest;
  const [workflowId] = await findWorkflowsBySlug(db, actor, slug, workspaceId);
  const place = workflowId === undefined ? { workspaceId } : { workflowId };
  const prepared = compiled && (await prepareVersion(compiled, context, { actor, place, comment }));
  const wanted: WantedWorkflow = { workspaceId, slug, name, changes, version: prepared?.version ?? null };
  return { wanted, warnings: prepared?.warnings ?? [] };
}

/**
 * Creates or changes a workflow.
 * @param asked the body of the request.
 * @returns the body of the response, and when the workflow was changed.
 * @throws DeckhandError VALIDATION_FAILED with all issues of the body; the errors of `applyWorkflow` of the database.
 */
export async function storeApplied(
  context: ResourceContext,
  actor: Actor,
  asked: unknown,
  precondition: Precondition,
  firstDue: FirstDue,
): Promise<{ readonly body: object; readonly updatedAt: string }> {
  const { wanted, warnings } = await prepare(context, actor, asked);
  const applied = await applyWorkflow(context.db, actor, wanted, precondition, firstDue);
  const { workflow, isNew, savedVersionId } = applied;
  const body = { ...workflowAnswer(workflow, context.webhookBaseUrl), isNew, savedVersionId, warnings };
  return { body, updatedAt: workflow.updatedAt };
}

/** Checks whether a workflow could be applied. @throws DeckhandError as `storeApplied` would. */
export async function tryApplying(
  context: ResourceContext,
  actor: Actor,
  asked: unknown,
  precondition: Precondition,
  firstDue: FirstDue,
): Promise<object> {
  const { wanted, warnings } = await prepare(context, actor, asked);
  await tryApplyingWorkflow(context.db, actor, wanted, precondition, firstDue);
  return { valid: true, warnings };
}
