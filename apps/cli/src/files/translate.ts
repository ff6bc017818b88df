import type { ApplyWorkflowBody, Definition, WorkflowResponse } from '@deckhand/sdk/operations';
import { EXIT, ExitError, misused } from '@deckhand/terminal';
import { isObject } from '../json.ts';
import { canonical, environmentName, type FileDocument, folderPath, folderText } from './document.ts';

/** Names for the ids of a workspace. */
export interface Names {
  /** Returns the name of a credential; undefined for one that does not exist. */
  credentialName(id: string): string | undefined;
  /** Returns the names of the folders from the outermost one to this one. */
  folderPath(id: string): readonly string[];
  slugOf(workflowId: string): string | undefined;
}

/** Ids for the names in files. */
export interface Ids {
  /** @throws ExitError for none, or several. */
  credentialId(name: string): string;
  workflowId(slug: string): string | undefined;
}

/** Reads a variable of the environment. */
type ReadVariable = (name: string) => string | undefined;

/** The type of nodes that start another workflow, and the parameters that name it: here, and in the API. */
const WORKFLOW_NODE = 'workflow';
const [BY_SLUG, BY_ID] = ['workflow', 'workflowId'] as const;
const NO_ERROR_WORKFLOW = 'none';

/** Translates a workflow of the API: names for ids. @returns also a sentence for each id that has no name. */
export function toDocument(
  names: Names,
  workflow: WorkflowResponse,
): { readonly document: FileDocument; readonly issues: readonly string[] } {
  const issues: string[] = [];
  const { name, slug, description, folderId, status, errorWorkflowId, definition } = workflow;
  const nameOf = (id: string, where: string): string => {
    const found = names.slugOf(id);
    if (found === undefined) issues.push(`${where} names the workflow ${id}, which has no slug here`);
    return found ?? id;
  };
  const nodes = (definition?.nodes ?? []).map(({ credentialId, ...node }) => {
    const where = `node ${node.id}`;
    const credential = credentialId === undefined ? undefined : names.credentialName(credentialId);
    if (credentialId !== undefined && credential === undefined) {
      issues.push(`${where} uses the credential ${credentialId}, which does not exist here`);
    }
    const { parameters } = node;
    return {
      ...node,
      ...(credential !== undefined && { credential }),
      ...(node.type === WORKFLOW_NODE && parameters && { parameters: renamed(parameters) }),
    };

    function renamed(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
      const { version } = given;
      if (typeof version === 'string' && isUuid(version))
        issues.push(`${where} names the version ${version} by its id`);
      return mapMember(given, BY_ID, (id) => (isUuid(id) ? [BY_SLUG, nameOf(id, where)] : [BY_ID, id]));
    }
  });
  const document = {
    slug: slug ?? '',
    name,
    description,
    folder: folderId === null ? undefined : folderText(names.folderPath(folderId)),
    status,
    errorWorkflow:
      errorWorkflowId === null || errorWorkflowId === NO_ERROR_WORKFLOW
        ? errorWorkflowId
        : nameOf(errorWorkflowId, 'errorWorkflow'),
    ...(definition && { settings: definition.settings, nodes, edges: definition.edges, notes: definition.notes }),
  };
  return { document: canonical(document), issues };
}

/** Translates a file for the API: ids for names. @throws ExitError for a name that stands for nothing. */
export function toBody(
  ids: Ids & { readonly id: string },
  document: FileDocument,
  { folderId, env }: { readonly folderId: string | null; readonly env: ReadVariable },
): ApplyWorkflowBody {
  const { slug, name, description, errorWorkflow, status } = document;
  const definition = definitionOf(ids, document, env);
  return {
    workspaceId: ids.id,
    slug,
    name,
    description: typeof description === 'string' ? description : '',
    folderId,
    status: statusOf(status),
    managed: true,
    errorWorkflowId: typeof errorWorkflow === 'string' ? idOf(ids, errorWorkflow, 'errorWorkflow') : null,
    ...(definition && { definition }),
  };
}

function statusOf(status: unknown): 'draft' | 'active' | 'inactive' {
  if (status === undefined) return 'draft';
  if (status === 'draft' || status === 'active' || status === 'inactive') return status;
  throw misused('status must be draft, active or inactive.');
}

/** Translates the definition of a file; undefined if it has none. @throws ExitError as `toBody`. */
export function definitionOf(ids: Ids, document: FileDocument, env: ReadVariable): Definition | undefined {
  const { nodes, edges = [], settings, notes } = document;
  if (nodes === undefined) return undefined;
  const definition: unknown = {
    nodes: Array.isArray(nodes) ? nodes.map((node: unknown) => (isObject(node) ? toNode(node) : node)) : nodes,
    edges,
    ...(settings !== undefined && { settings }),
    ...(notes !== undefined && { notes }),
  };
  if (isDefinition(definition)) return definition;
  throw misused('nodes and edges must be lists.');

  function toNode({ credential, ...node }: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const where = `node ${String(node.id)}`;
    if ('credentialId' in node) throw misused(`${where}: name the credential by its name, in credential.`);
    const { parameters } = node;
    return {
      ...node,
      ...(credential !== undefined && { credentialId: credentialOf(credential, where) }),
      ...(isObject(parameters) && { parameters: toParameters(node, parameters, where) }),
    };
  }

  function credentialOf(credential: unknown, where: string): string {
    if (typeof credential !== 'string') throw misused(`${where}: credential must be the name of one.`);
    return ids.credentialId(credential);
  }

  function toParameters(
    { type }: Readonly<Record<string, unknown>>,
    parameters: Readonly<Record<string, unknown>>,
    where: string,
  ): Record<string, unknown> {
    const taken = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, fromEnvironment(value, `${where}, ${name}`)]),
    );
    if (type !== WORKFLOW_NODE) return taken;
    return mapMember(taken, BY_SLUG, (slug) => [BY_ID, idOf(ids, slug, where)]);
  }

  function fromEnvironment(value: unknown, where: string): unknown {
    const name = environmentName(value);
    if (name === undefined) return value;
    const secret = env(name);
    if (secret === undefined || secret === '') throw misused(`${where}: the environment has no ${name}.`);
    return secret;
  }
}

/** Returns the slugs of the workflows that a file names. */
export function referredSlugs({ nodes, errorWorkflow }: FileDocument): readonly string[] {
  const started = (Array.isArray(nodes) ? nodes : []).filter(isObject).flatMap(({ type, parameters }) => {
    const slug = type === WORKFLOW_NODE && isObject(parameters) ? parameters[BY_SLUG] : undefined;
    return typeof slug === 'string' ? [slug] : [];
  });
  const own = typeof errorWorkflow === 'string' && errorWorkflow !== NO_ERROR_WORKFLOW ? [errorWorkflow] : [];
  return [...new Set([...started, ...own])];
}

/** Returns the names of the credentials that a file uses. */
export function credentialNames({ nodes }: FileDocument): readonly string[] {
  const named = (Array.isArray(nodes) ? nodes : []).filter(isObject).map(({ credential }) => credential);
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

/** Returns a file with other names of credentials. */
export function mapCredentials(document: FileDocument, names: ReadonlyMap<string, string>): FileDocument {
  const { nodes } = document;
  if (!Array.isArray(nodes)) return document;
  const renamed = nodes.map((node: unknown) => {
    if (!isObject(node) || typeof node.credential !== 'string') return node;
    return { ...node, credential: names.get(node.credential) ?? node.credential };
  });
  return { ...document, nodes: renamed };
}

/** Returns the folder where a file belongs. */
export function folderOf({ folder }: FileDocument): readonly string[] {
  return folderPath(folder);
}

function idOf(ids: Ids, slug: unknown, where: string): string {
  if (slug === NO_ERROR_WORKFLOW && where === 'errorWorkflow') return slug;
  const id = typeof slug === 'string' ? ids.workflowId(slug) : undefined;
  if (id === undefined) throw new ExitError(`${where}: no workflow has the slug ${String(slug)}.`, EXIT.notFound);
  return id;
}

/** Replaces a member by another one at its place. */
function mapMember(
  value: Readonly<Record<string, unknown>>,
  member: string,
  replace: (value: unknown) => readonly [string, unknown],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => (name === member ? replace(inner) : [name, inner])),
  );
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

/** The API checks all of it. */
function isDefinition(value: unknown): value is Definition {
  return isObject(value) && Array.isArray(value.nodes) && Array.isArray(value.edges);
}
