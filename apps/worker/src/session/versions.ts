import { readDefinition } from '@deckhand/db';
import { type CompiledWorkflow, compileInSteps, type NodeTypes } from '@deckhand/engine';
import { runInTimeSlices } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';
import type { ClaimHealth } from '../consume/worker-health.ts';
import type { WorkerStores } from '../stores.ts';

/** Reads versions of workflows. */
export interface Versions {
  /** Returns a compiled version, from the cache if it is there. */
  readonly load: (versionId: string) => Promise<CompiledWorkflow>;
  /** Returns a definition as it is stored. */
  readonly readDefinition: (versionId: string) => Promise<unknown>;
}

/** Creates the reader of versions. The claim health watches it, since no run is claimed without its version. */
export function createVersions(
  { db, retry }: Pick<WorkerStores, 'db' | 'retry'>,
  { nodeTypes, health }: { readonly nodeTypes: NodeTypes; readonly health: ClaimHealth },
): Versions {
  const read = (versionId: string): Promise<unknown> =>
    retry('version', () => health.watchRead(() => readDefinition(db, versionId)));
  return { load: createCompiledVersions(nodeTypes, read), readDefinition: read };
}

/** Limits of the cache: compiled versions, and characters of their definitions. */
const MAX_VERSIONS = 500;
const MAX_DEFINITION_CHARS = 33_554_432;

/**
 * Creates a cache of compiled versions, which compiles a version when it is first needed and keeps those that were used
 * last. Versions never change, so an entry is never stale. Runs that need the same version at the same time share one
 * load.
 * @param loadDefinition reads a version's definition; undefined when there is none.
 * @returns a function that loads a version by its id. It throws when the version does not compile.
 */
function createCompiledVersions(
  nodeTypes: NodeTypes,
  loadDefinition: (versionId: string) => Promise<unknown>,
): (versionId: string) => Promise<CompiledWorkflow> {
  const kept = new LRUCache<string, CompiledWorkflow>({
    max: MAX_VERSIONS,
    maxSize: MAX_DEFINITION_CHARS,
    // An entry that is evicted while it is being loaded still resolves for those who wait for it.
    ignoreFetchAbort: true,
    async fetchMethod(versionId, _stale, { options }) {
      const definition = await loadDefinition(versionId);
      options.size = JSON.stringify(definition ?? null).length;
      return compile(versionId, definition, nodeTypes);
    },
  });
  return (versionId) => kept.forceFetch(versionId);
}

async function compile(versionId: string, definition: unknown, nodeTypes: NodeTypes): Promise<CompiledWorkflow> {
  const compiled = await runInTimeSlices(compileInSteps(definition, nodeTypes));
  if ('workflow' in compiled) return compiled.workflow;
  const issues = compiled.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new Error(`version ${versionId} does not compile: ${issues}`);
}
