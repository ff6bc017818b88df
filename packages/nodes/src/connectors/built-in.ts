import { composeConnector, type Connector, parseDocument, readPack } from '@deckhand/connectors';
import { compileLenientCheck, ConnectorPack } from '@deckhand/contracts';
import type { OperationName } from '@deckhand/engine';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoredOperation } from './open-operation.ts';

const PACK = 'pack.yaml';
const DOCUMENT = 'openapi.yaml';

/** Returns the folder of the packs that are part of the service, in the package that reads documents. */
function packsFolder(): string {
  return fileURLToPath(new URL('../packs', import.meta.resolve('@deckhand/connectors')));
}

/** Connectors that every workspace has. */
export interface BuiltInConnectors {
  /** Lists their packs by name, the newest version of each first. */
  list(): Promise<readonly ConnectorPack[]>;
  /** Reads an operation of one; undefined if there is none of this name and version. */
  read(name: OperationName): Promise<StoredOperation | undefined>;
}

/** A pack, and the folder that it is in. */
interface FoundPack {
  readonly folder: string;
  readonly pack: ConnectorPack;
}

const checkPack = compileLenientCheck(ConnectorPack);

/**
 * Creates the reader of built-in connectors: `<folder>/<name>` has the newest version of one, and folders in it those
 * before, for definitions that name them. They are trusted: each is read in this process when it is first needed.
 */
export function createBuiltInConnectors(folder = packsFolder()): BuiltInConnectors {
  let packs: Promise<readonly FoundPack[]> | undefined;
  const connectors = new Map<string, Promise<Connector>>();

  /** A failure is not kept: the process may have had no file descriptor left. */
  function listPacks(): Promise<readonly FoundPack[]> {
    packs ??= findPacks(folder).catch((error: unknown) => {
      packs = undefined;
      throw error;
    });
    return packs;
  }

  async function find(name: string, version: string): Promise<Connector | undefined> {
    const all = await listPacks();
    const found = all.find(({ pack }) => pack.name === name && pack.version === version);
    if (!found) return undefined;
    const known = connectors.get(found.folder);
    if (known) return known;
    const compiled = compile(found.folder).catch((error: unknown) => {
      connectors.delete(found.folder);
      throw error;
    });
    connectors.set(found.folder, compiled);
    return compiled;
  }

  return {
    list: async () => (await listPacks()).map(({ pack }) => pack),
    async read({ connector: name, version, operation }) {
      const connector = await find(name, version);
      const action = connector?.actions.find(({ id }) => id === operation);
      if (!connector || !action) return undefined;
      const { actions: _others, ...head } = connector;
      return { head: JSON.stringify(head), action: JSON.stringify(action) };
    },
  };
}

async function findPacks(folder: string): Promise<readonly FoundPack[]> {
  const found: FoundPack[] = [];
  for (const name of await foldersIn(folder)) {
    const newest = join(folder, name);
    const older = (await foldersIn(newest)).map((version) => join(newest, version));
    const ofName: FoundPack[] = [];
    for (const each of [newest, ...older]) {
      const checked = checkPack(parseDocument(await readFile(join(each, PACK), 'utf8')));
      if ('issues' in checked) throw new Error(`${each}: ${JSON.stringify(checked.issues)}`);
      ofName.push({ folder: each, pack: checked.value });
    }
    found.push(...ofName.sort((one, other) => compareVersions(other.pack.version, one.pack.version)));
  }
  return found;
}

/** Compares versions such as 0.10.0 by their numbers: as texts, 0.9.0 would be the newer one. */
function compareVersions(one: string, other: string): number {
  const numbers = other.split('.').map(Number);
  const differences = one.split('.').map((number, index) => Number(number) - (numbers[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

async function compile(folder: string): Promise<Connector> {
  const [pack, document] = await Promise.all([PACK, DOCUMENT].map((file) => readFile(join(folder, file), 'utf8')));
  const files = { pack: { name: PACK, text: pack ?? '' }, document: { name: DOCUMENT, text: document ?? '' } };
  const read = readPack(files);
  const composed = 'issues' in read ? read : composeConnector(read.source, { pack: PACK, document: DOCUMENT });
  if ('issues' in composed) throw new Error(`${folder}: ${JSON.stringify(composed.issues)}`);
  return composed.connector;
}
