import { applyWorkflow, type ApplyWorkflowBody, deleteWorkflow } from '@deckhand/sdk/operations';
import { EXIT, ExitError } from '@deckhand/terminal';
import { readVariable } from '../environment.ts';
import { describeError, type Failure, issuesOf } from '../describe-error.ts';
import type { FileDocument } from './document.ts';
import type { Step } from './plan.ts';
import { folderOf, referredSlugs, toBody } from './translate.ts';
import type { RemoteWorkflow, Workspace } from './workspace.ts';

/** What came of a step. */
export interface Result {
  readonly slug: string;
  readonly action: Step['action'];
  /** The id of the workflow; undefined if it was not created. */
  readonly id?: string;
  /** Undefined if it was done. */
  readonly failure?: Failure;
  /** What may be unintended in the definition, as lines of text. */
  readonly warnings?: readonly string[];
}

/** A workflow that was applied. */
interface Applied {
  readonly id: string;
  readonly warnings: readonly string[];
}

/**
 * Carries out the steps of a plan, each workflow in one request that changes all of it or nothing. Each is refused if
 * the workflow was changed since it was read. A failed step does not keep the others from being done, except deletions:
 * what could not be applied may be what replaces the workflow.
 */
export async function applySteps(
  workspace: Workspace,
  steps: readonly Step[],
  onResult: (result: Result) => void,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const tags = new Map(steps.flatMap(({ slug, remote }) => (remote ? [[slug, remote.etag] as const] : [])));
  const wanted = new Map(steps.flatMap(({ slug, document }) => (document ? [[slug, document] as const] : [])));
  // Deletions last: what is applied may have named a workflow that is deleted.
  const ordered = [...steps].sort((a, b) => Number(a.action === 'delete') - Number(b.action === 'delete'));
  for (const { slug, action, document, remote } of ordered) {
    if (action === 'unchanged') continue;
    let result: Result;
    try {
      if (action === 'delete') checkDeletion(slug, steps, results);
      const { id, warnings } = document ? await applyDocument(document) : await remove(remote);
      result = { slug, action, id, ...(warnings.length > 0 && { warnings }) };
    } catch (error) {
      result = { slug, action, failure: describeError(error) };
    }
    results.push(result);
    onResult(result);
  }
  return results;

  async function applyDocument(document: FileDocument): Promise<Applied> {
    for (const slug of referredSlugs(document)) await ensureExists(slug, document.slug);
    const path = folderOf(document);
    const folderId = path.length === 0 ? null : await workspace.ensureFolder(path);
    const applied = await send(toBody(workspace, document, { folderId, env: readVariable }));
    workspace.add(document.slug, applied.id);
    return applied;
  }

  /** Workflows may name each other: one that is yet to be created is begun as a draft without a definition. */
  async function ensureExists(slug: string, by: string): Promise<void> {
    if (workspace.workflowId(slug) !== undefined) return;
    const document = wanted.get(slug);
    if (!document) throw new ExitError(`${by} names the workflow ${slug}, which does not exist.`, EXIT.notFound);
    const { id } = await send({ workspaceId: workspace.id, slug, name: document.name, managed: true });
    workspace.add(slug, id);
    tags.set(slug, (await workspace.read(id)).etag);
  }

  async function send(body: ApplyWorkflowBody): Promise<Applied> {
    const etag = tags.get(body.slug);
    const { data } = await applyWorkflow({
      client: workspace.connection.deckhand.client,
      body,
      headers: etag === undefined ? {} : { 'If-Match': etag },
      throwOnError: true,
    });
    // Only a dry run returns no workflow.
    if (!('id' in data)) throw new ExitError('The instance applied nothing.');
    return { id: data.id, warnings: issuesOf(data.warnings) };
  }

  async function remove(remote: RemoteWorkflow | undefined): Promise<Applied> {
    const { id = '', etag = '' } = remote ?? {};
    await deleteWorkflow({
      client: workspace.connection.deckhand.client,
      path: { id },
      headers: { 'If-Match': etag },
      throwOnError: true,
    });
    return { id, warnings: [] };
  }
}

/** @throws ExitError if the workflow is still needed, or may be. */
function checkDeletion(slug: string, steps: readonly Step[], results: readonly Result[]): void {
  const user = steps.find(({ document }) => document && referredSlugs(document).includes(slug));
  if (user) throw new ExitError(`Not deleted: ${user.slug} names it.`);
  if (results.some(({ action, failure }) => failure && action !== 'delete')) {
    throw new ExitError('Not deleted: another workflow could not be applied.');
  }
}

/**
 * Checks whether the steps could be carried out, without doing so.
 * @returns the results of those that could not, or with warnings.
 */
export async function checkSteps(workspace: Workspace, steps: readonly Step[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  const wanted = new Set(steps.flatMap(({ slug, document }) => (document ? [slug] : [])));
  // Stands for workflows that are yet to be created; definitions may name workflows that do not exist.
  const ids = {
    ...workspace,
    workflowId: (slug: string) =>
      workspace.workflowId(slug) ?? (wanted.has(slug) ? '00000000-0000-7000-8000-000000000000' : undefined),
  };
  for (const { slug, action, document, remote } of steps) {
    if (action === 'unchanged') continue;
    try {
      if (!document) {
        checkDeletion(slug, steps, []);
        continue;
      }
      const folderId = workspace.folderId(folderOf(document)) ?? null;
      // Its workflow may be yet to come.
      const { errorWorkflowId: _, ...body } = toBody(ids, document, { folderId, env: readVariable });
      const { data } = await applyWorkflow({
        client: workspace.connection.deckhand.client,
        query: { dryRun: true },
        body,
        headers: remote ? { 'If-Match': remote.etag } : {},
        throwOnError: true,
      });
      const warnings = issuesOf(data.warnings);
      if (warnings.length > 0) results.push({ slug, action, warnings });
    } catch (error) {
      results.push({ slug, action, failure: describeError(error) });
    }
  }
  return results;
}
