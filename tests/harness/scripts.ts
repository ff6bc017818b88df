import type { Script } from '@deckhand/engine';

/** The input of a script, as from a `code` node; a test overrides the parts that matter to it. */
export function script(source: string, given: Partial<Script> = {}): Script {
  return {
    source,
    names: {},
    workspaceId: 'workspace',
    executionId: 'run',
    timeoutMs: 10_000,
    memoryBytes: 64 * 1_024 * 1_024,
    keepsConsole: false,
    signal: new AbortController().signal,
    ...given,
  };
}
