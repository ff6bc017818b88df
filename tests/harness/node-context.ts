import type { NodeContext, NodeServices } from '@deckhand/engine';
import { createFileProcesses } from '@deckhand/nodes';
import { createMemoryFiles } from '@deckhand/testing/memory-files';

const refuse = (): Promise<never> => Promise.reject(new Error('this node must not act outside'));

/** Services for nodes that must do without: every use fails. */
export const NO_SERVICES: NodeServices = {
  code: { run: refuse },
  http: { request: refuse },
  mail: { send: refuse },
  postgres: { query: refuse },
  sftp: { use: refuse },
  workflows: { start: refuse },
  locks: { acquire: refuse, release: refuse },
  responses: { send: refuse },
  agentMemories: { read: refuse, write: refuse },
  modelCalls: { begin: refuse, settle: refuse, withdraw: refuse },
  results: { check: refuse },
  fileProcesses: createFileProcesses(2),
  connectors: { find: () => Promise.resolve(undefined) },
  traffic: { admit: () => Promise.resolve({ waitedMs: 0, report: () => Promise.resolve() }) },
  files: () => createMemoryFiles(),
};

/** Settings under which large outputs and files are in PostgreSQL. */
export const OUTPUTS_IN_POSTGRES = {
  OUTPUT_STORE: 'postgres',
  S3_REGION: '',
  S3_PREFIX: '',
  FILE_MAX_BYTES: 1_073_741_824,
  FILE_MAX_RUN_BYTES: 1_073_741_824,
} as const;

/** The context of a node of a run named `run`; a test overrides the parts that matter to it. */
export function nodeContext(given: Partial<NodeContext> = {}): NodeContext {
  return {
    trigger: {},
    input: null,
    inputs: [],
    workspaceId: 'workspace',
    executionId: 'run',
    mode: 'normal',
    nodeId: 'node',
    iteration: '',
    credentialId: undefined,
    idempotencyKey: 'run:node',
    signal: () => new AbortController().signal,
    timeoutMs: undefined,
    names: () => ({}),
    deferred: undefined,
    retryPart: (work) => work(),
    services: NO_SERVICES,
    files: createMemoryFiles(),
    now: () => Date.UTC(2026, 0, 1),
    agent: undefined,
    mock: undefined,
    credential: () => Promise.resolve(undefined),
    ...given,
  };
}
