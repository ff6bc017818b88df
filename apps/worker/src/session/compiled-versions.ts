import { type CompiledWorkflow, compileInSteps, type NodeTypes } from '@deckhand/engine';
import { runInTimeSlices } from '@deckhand/runtime';

/** Compiled versions kept in memory at most. */
const CACHE_MAX = 500;

/**
 * Compiles versions as they are needed and keeps the latest used. Versions never change, so an entry is never stale;
 * runs that need the same version at the same time share one load.
 * @param loadDefinition reads a version's definition; undefined when there is none.
 */
export function createCompiledVersions(
  nodeTypes: NodeTypes,
  loadDefinition: (versionId: string) => Promise<unknown>,
): (versionId: string) => Promise<CompiledWorkflow> {
  const cache = new Map<string, Promise<CompiledWorkflow>>();

  async function load(versionId: string): Promise<CompiledWorkflow> {
    const compiled = await runInTimeSlices(compileInSteps(await loadDefinition(versionId), nodeTypes));
    if ('faults' in compiled) {
      const faults = compiled.faults.map(({ path, message }) => `${path} ${message}`).join('; ');
      throw new Error(`version ${versionId} does not compile: ${faults}`);
    }
    return compiled.workflow;
  }

  return (versionId) => {
    const cached = cache.get(versionId);
    const workflow = cached ?? load(versionId);
    // Putting it at the end again makes the first key the least recently used.
    cache.delete(versionId);
    cache.set(versionId, workflow);
    if (!cached) workflow.catch(() => cache.delete(versionId));
    if (cache.size > CACHE_MAX)
      for (const oldest of [...cache.keys()].slice(0, cache.size - CACHE_MAX)) cache.delete(oldest);
    return workflow;
  };
}
