import { compileLenientCheck, CreateWorkflowBody, type KeptImportReport, SaveVersionBody } from '@deckhand/contracts';
import {
  type Actor,
  createWorkflow,
  readWorkflow,
  saveVersion,
  tryCreatingWorkflow,
  trySavingVersion,
} from '@deckhand/db';
import { parseWithDefinition } from '../definitions.ts';
import type { ResourceContext } from '../contexts.ts';
import { prepareVersion } from './prepare-version.ts';
import { workflowAnswer } from './workflow-answer.ts';

const checkWorkflow = compileLenientCheck(CreateWorkflowBody);
const checkVersion = compileLenientCheck(SaveVersionBody);

async function prepareWorkflow(context: ResourceContext, actor: Actor, asked: unknown) {
  const { nodeTypes } = context;
  const by = { by: actor.userId, nodeTypes };
  const { body, compiled } = await parseWithDefinition(checkWorkflow, asked, by);
  const { workspaceId, name, slug, description = '', folderId = null } = body;
  const place = { workspaceId: workspaceId.toLowerCase() };
  const prepared = compiled && (await prepareVersion(compiled, context, { actor, place, comment: '' }));
  const version = prepared?.version ?? null;
  return { workflow: { workspaceId, name, slug, description, folderId, version }, warnings: prepared?.warnings ?? [] };
}

/**
 * Creates a workflow as a draft, with its first version if the body has a definition.
 * @param asked the body of the request.
 * @param importReport is kept with it.
 * @throws DeckhandError VALIDATION_FAILED with all issues of the body; FORBIDDEN; CONFLICT for a slug of another one.
 */
export async function storeNewWorkflow(
  context: ResourceContext,
  actor: Actor,
  asked: unknown,
  importReport?: KeptImportReport,
): Promise<object> {
  const { workflow, warnings } = await prepareWorkflow(context, actor, asked);
  const id = await createWorkflow(context.db, actor, { ...workflow, ...(importReport && { importReport }) });
  const created = workflowAnswer(await readWorkflow(context.db, actor, id), context.webhookBaseUrl);
  return { ...created, warnings };
}

/** Checks whether a workflow could be created. @throws DeckhandError as `storeNewWorkflow` would. */
export async function tryNewWorkflow(context: ResourceContext, actor: Actor, asked: unknown): Promise<object> {
  const { workflow, warnings } = await prepareWorkflow(context, actor, asked);
  await tryCreatingWorkflow(context.db, actor, workflow);
  return { valid: true, warnings };
}

async function prepareNewVersion(context: ResourceContext, actor: Actor, workflowId: string, asked: unknown) {
  const { nodeTypes } = context;
  const by = { by: actor.userId, nodeTypes };
  const { body, compiled } = await parseWithDefinition(checkVersion, asked, by);
  // The schema requires it.
  if (!compiled) throw new Error('a version without a definition passed its check');
  const { comment = '', baseVersionId = null } = body;
  const prepared = await prepareVersion(compiled, context, { actor, place: { workflowId }, comment });
  return { ...prepared, baseVersionId };
}

/**
 * Saves the next version of a workflow.
 * @param asked the body of the request.
 * @throws DeckhandError VALIDATION_FAILED with all issues of the body; CONFLICT for a stale `baseVersionId`;
 * LIMIT_REACHED; NOT_FOUND; FORBIDDEN.
 */
export async function storeVersion(
  context: ResourceContext,
  actor: Actor,
  workflowId: string,
  asked: unknown,
): Promise<object> {
  const { version, baseVersionId, warnings } = await prepareNewVersion(context, actor, workflowId, asked);
  const saved = await saveVersion(context.db, actor, workflowId, version, baseVersionId);
  return { ...saved, warnings };
}

/** Checks whether a version could be saved. @throws DeckhandError as `storeVersion` would. */
export async function tryVersion(
  context: ResourceContext,
  actor: Actor,
  workflowId: string,
  asked: unknown,
): Promise<object> {
  const { version, baseVersionId, warnings } = await prepareNewVersion(context, actor, workflowId, asked);
  await trySavingVersion(context.db, actor, workflowId, version, baseVersionId);
  return { valid: true, warnings };
}
