import type { Script } from '@deckhand/engine';

/** A script with what a `code` node gives it; a test says what matters to it. */
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
