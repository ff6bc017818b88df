import { type CompiledWorkflow, compileInSteps, type NodeTypes } from '@deckhand/engine';
import { runInTimeSlices } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';

/** Compiled versions kept in memory at most, and characters of their definitions. */
const KEPT_MAX = 500;
const KEPT_CHARS_MAX = 33_554_432;

/**
 * Compiles versions as they are needed and keeps the latest used. Versions never change, so an entry is never stale;
 * runs that need the same version at the same time share one load.
 * @param loadDefinition reads a version's definition; undefined when there is none.
 */
export function createCompiledVersions(
  nodeTypes: NodeTypes,
  loadDefinition: (versionId: string) => Promise<unknown>,
): (versionId: string) => Promise<CompiledWorkflow> {
  const kept = new LRUCache<string, CompiledWorkflow>({
    max: KEPT_MAX,
    maxSize: KEPT_CHARS_MAX,
    // One that is pushed out while it is loaded is still waited for.
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
  const faults = compiled.faults.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new Error(`version ${versionId} does not compile: ${faults}`);
}
