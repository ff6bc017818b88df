import { canonical, type FileDocument, withoutValuesOf } from './document.ts';
import { readAll, type RemoteWorkflow, type Workspace } from './workspace.ts';
import { toYaml } from './yaml-file.ts';

/** What to do with one workflow. */
export interface Step {
  readonly slug: string;
  readonly action: 'create' | 'update' | 'delete' | 'unchanged';
  /** Members that change. */
  readonly changes: readonly string[];
  /** What is wanted; undefined for a deletion. */
  readonly document: FileDocument | undefined;
  /** What is there; undefined if there is nothing. */
  readonly remote: RemoteWorkflow | undefined;
}

/**
 * Compares wanted workflows with those of a workspace.
 * @param prune whether managed workflows that are not wanted are deleted.
 */
export async function plan(
  workspace: Workspace,
  wanted: readonly FileDocument[],
  { prune }: { readonly prune: boolean },
): Promise<readonly Step[]> {
  const slugs = new Set(wanted.map(({ slug }) => slug));
  const surplus = workspace.workflows.filter(({ slug, managed }) => managed && slug !== null && !slugs.has(slug));
  const ids = wanted.flatMap(({ slug }) => workspace.workflowId(slug) ?? []);
  const remotes = await readAll(workspace, [...ids, ...(prune ? surplus.map(({ id }) => id) : [])]);
  const bySlug = new Map(remotes.map((remote) => [remote.document.slug, remote]));
  const steps = wanted.map((document) => compare(document, bySlug.get(document.slug)));
  // Slugs and flags may have changed since the list was read: what counts is the workflow as it was read last.
  const wantedIds = new Set(ids);
  const isSurplus = ({ id, managed, document }: RemoteWorkflow): boolean =>
    managed && !wantedIds.has(id) && !slugs.has(document.slug);
  const deletions = prune ? remotes.filter(isSurplus).map(toDeletion) : [];
  return [...steps, ...deletions].sort((a, b) => (a.slug < b.slug ? -1 : 1));
}

function compare(document: FileDocument, read: RemoteWorkflow | undefined): Step {
  const { slug } = document;
  if (!read) return { slug, action: 'create', changes: [], document, remote: undefined };
  const remote = { ...read, document: withoutValuesOf(document, read.document) };
  const changes = changedMembers(remote.document, document);
  if (!remote.managed) changes.push('managed');
  return { slug, action: changes.length === 0 ? 'unchanged' : 'update', changes, document, remote };
}

function toDeletion(remote: RemoteWorkflow): Step {
  return { slug: remote.document.slug, action: 'delete', changes: [], document: undefined, remote };
}

/** Returns the members in which two files differ. */
export function changedMembers(before: FileDocument, after: FileDocument): string[] {
  const [a, b]: readonly Readonly<Record<string, unknown>>[] = [canonical(before), canonical(after)];
  const names = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]);
  return [...names].filter((name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name]));
}

/** Returns both sides of a step as YAML. */
export function sidesOf({ document, remote }: Step): { readonly before: string; readonly after: string } {
  const text = (one: FileDocument | undefined): string => (one ? toYaml(canonical(one)) : '');
  return { before: text(remote?.document), after: text(document) };
}
