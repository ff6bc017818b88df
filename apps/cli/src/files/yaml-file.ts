import { ExitError, misused } from '@deckhand/terminal';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isObject } from '../json.ts';
import { checkDocument, environmentName, type FileDocument, SECRET, TESTS } from './document.ts';

/** A file of a workflow. */
export interface LocalFile {
  readonly path: string;
  readonly text: string;
  readonly document: FileDocument;
}

/** The first line of files: editors that know it check the file and complete its members. */
const MODELINE = '# yaml-language-server: $schema=./workflow.schema.json';
const OPTIONS = { lineWidth: 0 } as const;
const MAX_FILE_CHARS = 16_777_216;

/** Reads the files of workflows in a folder, by slug. @throws ExitError for invalid files, and for a slug in two. */
export async function readFiles(folder: string): Promise<ReadonlyMap<string, LocalFile>> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isObject(error) && error.code === 'ENOENT') return [];
    throw misused(`${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const files = new Map<string, LocalFile>();
  for (const name of names.filter((one) => /\.ya?ml$/.test(one)).sort()) {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8');
    const document = checkDocument(toValue(parse(text, path), path), path);
    const other = files.get(document.slug);
    if (other) throw misused(`${path} and ${other.path} have the same slug, ${document.slug}.`);
    files.set(document.slug, { path, text, document });
  }
  return files;
}

/**
 * Writes the file of a workflow. A file that exists keeps its comments, its tests, and what did not change.
 * @throws ExitError for a slug that is none, and if the file of another workflow has the name.
 */
export async function writeFileOf(
  folder: string,
  document: FileDocument,
  local: LocalFile | undefined,
): Promise<string> {
  // The slug of an instance becomes a path.
  checkDocument(document, 'The response');
  if (local) {
    const text = merge(local, document);
    // Renamed when it is whole: a reader, or a crash meanwhile, never finds half of it.
    const unfinished = `${local.path}.tmp`;
    await writeFile(unfinished, text);
    await rename(unfinished, local.path);
    return local.path;
  }
  const path = join(folder, `${document.slug}.yaml`);
  // No file has this slug, but one of another slug may have this name.
  await writeFile(path, toYaml(document, `${MODELINE}\n`), { flag: 'wx' }).catch((error: unknown) => {
    if (isObject(error) && error.code === 'EEXIST') throw new ExitError(`${path} is the file of another workflow`);
    throw error;
  });
  return path;
}

/** Returns a document as YAML. */
export function toYaml(document: FileDocument, heading = ''): string {
  const yaml = parse('{}', 'a file');
  yaml.contents = create(yaml, document);
  return heading + yaml.toString(OPTIONS);
}

/** Returns the text of a file with another content: comments stay with what they were about. */
export function merge({ path, text, document: before }: LocalFile, document: FileDocument): string {
  const yaml = parse(text, path);
  resolveAliases(yaml);
  const target = before[TESTS] === undefined ? document : { ...document, [TESTS]: before[TESTS] };
  yaml.contents = reconcile(yaml, yaml.contents, target);
  return yaml.toString(OPTIONS);
}

/** @throws ExitError that names the line of the first error. */
function parse(text: string, path: string): Document {
  if (text.length > MAX_FILE_CHARS) throw misused(`${path} is larger than a workflow can be.`);
  const yaml: Document = parseDocument<Node>(text, { version: '1.2', stringKeys: true });
  const [error] = [...yaml.errors, ...yaml.warnings];
  if (error) throw misused(`${path} is not valid YAML: ${error.message.split('\n').join(' ').trim()}`);
  return yaml;
}

/** @throws ExitError for aliases that stand for themselves, or for more than a file should have. */
function toValue(yaml: Document, path: string): unknown {
  try {
    const value: unknown = yaml.toJS({ maxAliasCount: 100 });
    JSON.stringify(value);
    return value;
  } catch (error) {
    throw misused(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes what aliases stand for in their place: one of the places may change, and the anchor may go. */
function resolveAliases(yaml: Document): void {
  visit(yaml, { Alias: (_, alias) => createFor(alias, yaml, alias.toJS(yaml)) });
  visit(yaml, {
    Value(_, node) {
      delete node.anchor;
    },
  });
}

/** Returns a node with the value, made of as much of the given node as possible. */
function reconcile(yaml: Document, node: unknown, value: unknown): Node {
  if (!isNode(node)) return create(yaml, value);
  const now: unknown = node.toJS(yaml);
  if (isSame(now, value)) return node;
  if (value === SECRET && environmentName(now) !== undefined) return node;
  if (isMap(node) && isObject(value)) return reconcileMap(yaml, node, value);
  if (isSeq(node) && Array.isArray(value)) return reconcileList(yaml, node, value);
  return createFor(node, yaml, value);
}

/** Creates what takes the place of a node, with its comments. */
function createFor(node: Node, yaml: Document, value: unknown): Node {
  const fresh = create(yaml, value);
  fresh.comment = node.comment;
  fresh.commentBefore = node.commentBefore;
  fresh.spaceBefore = node.spaceBefore;
  return fresh;
}

function reconcileMap(yaml: Document, node: YAMLMap, value: Readonly<Record<string, unknown>>): Node {
  const pairs = new Map(node.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
  node.items = Object.entries(value).map(([name, member]): Pair => {
    const pair = pairs.get(name);
    if (!pair) return yaml.createPair(name, create(yaml, member));
    pair.value = reconcile(yaml, pair.value, member);
    return pair;
  });
  return node;
}

/** Finds the item for each value: the same one, one with the same identity, or the one at the same place. */
function reconcileList(yaml: Document, node: YAMLSeq, values: readonly unknown[]): Node {
  moveComment(node, node.items[0]);
  const items = node.items.map((item) => ({ item, now: isNode(item) ? (item.toJS(yaml) as unknown) : item }));
  const free = new Set(items);
  const take = (matches: (now: unknown) => boolean) => {
    const found = [...free].find(({ now }) => matches(now));
    if (found) free.delete(found);
    return found;
  };
  const found = values.map((value) => take((now) => isSame(now, value)));
  values.forEach((value, index) => {
    const identity = identityOf(value);
    if (identity !== undefined) found[index] ??= take((now) => identityOf(now) === identity);
  });
  values.forEach((value, index) => {
    const there = items[index];
    if (found[index] || identityOf(value) !== undefined || !there || !free.has(there)) return;
    free.delete(there);
    found[index] = there;
  });
  node.items = values.map((value, index) => reconcile(yaml, found[index]?.item, value));
  return node;
}

/** The parser takes a comment above the first item for one about the whole list. */
function moveComment(list: YAMLSeq, first: unknown): void {
  const isMovable = typeof list.commentBefore === 'string' && isNode(first) && list.flow !== true;
  if (!isMovable) return;
  first.commentBefore = list.commentBefore;
  list.commentBefore = null;
}

function identityOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.id === 'string') return value.id;
  return typeof value.source === 'string'
    ? JSON.stringify([value.source, value.sourceHandle, value.target])
    : undefined;
}

/** The order of members counts: nodes may return objects in it. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Creates a node, with edges and positions in a line each, and without aliases. */
function create(yaml: Document, value: unknown): Node {
  const node = yaml.createNode(value, { aliasDuplicateObjects: false });
  if (isEdge(node)) node.flow = true;
  visit(node, {
    Pair: (_, { key, value }) => {
      if (isScalar(key) && key.value === 'position' && isCollection(value)) value.flow = true;
    },
    Map: (_, map) => {
      if (isEdge(map)) map.flow = true;
    },
  });
  return node;
}

function isEdge(node: Node): node is YAMLMap {
  return isMap(node) && node.has('source') && node.has('target');
}
