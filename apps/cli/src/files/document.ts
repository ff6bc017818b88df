import { misused } from '@deckhand/terminal';
import { isObject } from '../json.ts';

/** A workflow as a file has it: with names where the API has ids. */
export type FileDocument = Readonly<Record<string, unknown>> & { readonly slug: string; readonly name: string };

/** Stands for a secret parameter, which the API never returns. Applied, it keeps the secret. */
export const SECRET = '********';

/** The member by which a file takes a parameter from the environment: `secret: { $env: HOOK_SECRET }`. */
const ENV = '$env';

/** Members of a file in their order. */
const FILE_MEMBERS = ['slug', 'name', 'description', 'folder', 'status', 'errorWorkflow'] as const;
/** Members of a file that are those of the definition. */
const DEFINITION_MEMBERS = ['settings', 'nodes', 'edges', 'notes'] as const;
/** The member that only the file has: the workspace knows nothing of it. */
export const TESTS = 'tests';
const SETTINGS = ['timeoutSeconds', 'rateLimit', 'maxConcurrentExecutions', 'cancelOn', 'mcp'];
const NODE = [
  'id',
  'type',
  'name',
  'disabled',
  'credential',
  'parameters',
  'retry',
  'timeoutSeconds',
  'onInterrupt',
  'onError',
  'mock',
  'position',
];
const EDGE = ['source', 'sourceHandle', 'target', 'targetHandle'];
const NOTE = ['id', 'text', 'color', 'position', 'width', 'height'];

/**
 * Returns a document in its canonical form, by which documents are compared: members in their order, without those that
 * have their default, except in the definition. The order of parameters stays: nodes may return objects in it.
 */
export function canonical(document: FileDocument): FileDocument {
  const { slug, name, description = '', folder, settings, nodes, edges, notes, errorWorkflow, status } = document;
  const path = folderPath(folder);
  return {
    slug,
    name,
    ...(description === '' ? {} : { description }),
    ...(path.length === 0 ? {} : { folder: folderText(path) }),
    status: status ?? 'draft',
    ...(errorWorkflow === undefined || errorWorkflow === null ? {} : { errorWorkflow }),
    ...(isObject(settings) ? { settings: inOrder(settings, SETTINGS) } : {}),
    ...(Array.isArray(nodes) && {
      nodes: nodes.map(canonicalNode),
      edges: (Array.isArray(edges) ? edges : []).map((edge: unknown) => (isObject(edge) ? inOrder(edge, EDGE) : edge)),
    }),
    ...(Array.isArray(notes) && notes.length > 0
      ? { notes: notes.map((note: unknown) => (isObject(note) ? inOrder(note, NOTE) : note)) }
      : {}),
  };
}

function canonicalNode(node: unknown): unknown {
  if (!isObject(node)) return node;
  const { parameters, ...rest } = node;
  if (!isObject(parameters)) return inOrder(rest, NODE);
  const masked = Object.entries(parameters).map(([name, value]) => [
    name,
    environmentName(value) === undefined ? value : SECRET,
  ]);
  return inOrder({ ...rest, parameters: Object.fromEntries(masked) }, NODE);
}

/**
 * Returns a workflow of a workspace without the values that a file takes from the environment. The API masks only
 * parameters that are secret by their type.
 */
export function withoutValuesOf(file: FileDocument | undefined, remote: FileDocument): FileDocument {
  const taken = new Map(nodesOf(file).map(({ id, parameters }) => [id, environmentNames(parameters)]));
  if (!Array.isArray(remote.nodes) || ![...taken.values()].some(({ size }) => size > 0)) return remote;
  const nodes = nodesOf(remote).map((node) => {
    const names = taken.get(node.id);
    if (!names || !isObject(node.parameters)) return node;
    const masked = Object.entries(node.parameters).map(
      ([name, value]) => [name, names.has(name) ? SECRET : value] as const,
    );
    return { ...node, parameters: Object.fromEntries(masked) };
  });
  return { ...remote, nodes };
}

function nodesOf(document: FileDocument | undefined): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(document?.nodes) ? document.nodes.filter(isObject) : [];
}

/** Returns the names of the parameters that are taken from the environment. */
function environmentNames(parameters: unknown): ReadonlySet<string> {
  const entries = isObject(parameters) ? Object.entries(parameters) : [];
  return new Set(entries.flatMap(([name, value]) => (environmentName(value) === undefined ? [] : [name])));
}

function inOrder(value: Readonly<Record<string, unknown>>, order: readonly string[]): Record<string, unknown> {
  const known = order.filter((name) => value[name] !== undefined);
  const others = Object.keys(value)
    .filter((name) => !order.includes(name) && value[name] !== undefined)
    .sort();
  return Object.fromEntries([...known, ...others].map((name) => [name, value[name]]));
}

/** Returns the name of the environment variable that a parameter is taken from; undefined for another value. */
export function environmentName(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { [ENV]: name, ...others } = value;
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : undefined;
}

/** Returns the names of the folders that a workflow is in, from the outermost one. @throws ExitError */
export function folderPath(folder: unknown): readonly string[] {
  if (folder === undefined || folder === null || folder === '') return [];
  if (typeof folder === 'string') return folder.split('/').map((name) => name.trim());
  if (Array.isArray(folder) && folder.every((name) => typeof name === 'string')) return folder;
  throw misused('folder must be a path such as Payments/Refunds, or a list of names.');
}

/** Returns a path as a file has it: a list if a name has a slash. */
export function folderText(path: readonly string[]): unknown {
  return path.some((name) => name.includes('/') || name !== name.trim()) ? path : path.join('/');
}

/**
 * Checks the members of a file that the command itself reads. The API checks the rest.
 * @param where names the file in errors. @throws ExitError
 */
export function checkDocument(value: unknown, where: string): FileDocument {
  if (!isObject(value)) throw misused(`${where}: the file must have members such as slug and name.`);
  const known: readonly string[] = [...FILE_MEMBERS, ...DEFINITION_MEMBERS, TESTS];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw misused(`${where}: ${unknown} is not a member of a workflow: ${known.join(', ')}.`);
  const { slug, name } = value;
  if (typeof slug !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) || slug.length > 64) {
    throw misused(`${where}: slug must have lower-case letters, digits and single hyphens, and up to 64 of them.`);
  }
  if (typeof name !== 'string' || name === '') throw misused(`${where}: name must be a text.`);
  for (const list of ['nodes', 'edges', 'notes', TESTS]) {
    if (value[list] !== undefined && !Array.isArray(value[list])) throw misused(`${where}: ${list} must be a list.`);
  }
  for (const part of ['edges', 'notes']) {
    if (value[part] !== undefined && value.nodes === undefined) throw misused(`${where}: ${part} need nodes.`);
  }
  return { ...value, slug, name };
}

/** Returns a slug for a name, such as `refund-order` for "Refund order". */
export function toSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? ['workflow']).join('-').slice(0, 60).replace(/-+$/, '');
}
