import { readDefinition } from '@deckhand/db';
import type { CompiledWorkflow, NodeTypes } from '@deckhand/engine';
import type { ClaimHealth } from '../claims/claim-health.ts';
import type { WorkerStores } from '../stores.ts';
import { createCompiledVersions } from './compiled-versions.ts';

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
