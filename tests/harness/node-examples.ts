import type { Credential, JsonValue } from '@deckhand/contracts';
import type { HttpRequest, NodeExample, NodeServices, NodeType, ScriptRunner, SftpSession } from '@deckhand/engine';
import { createScriptRunner } from '@deckhand/nodes';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { connectorsOf } from './connectors.ts';
import { lastRecords, type MemoryRun, runInMemory } from './engine.ts';

/** Runs an example to its end, over its waits. `requests` are those that its http nodes sent. */
export async function runExample(
  example: NodeExample,
  replace?: (type: NodeType) => NodeType,
): Promise<{ run: MemoryRun; requests: readonly HttpRequest[] }> {
  const code = createScriptRunner();
  try {
    return await runWithServices(example, code, replace);
  } finally {
    await code.close();
  }
}

/** How often an example may rest: one that never ends must not run forever. */
const MAX_RESTS = 100;

async function runWithServices(
  example: NodeExample,
  code: ScriptRunner,
  replace?: (type: NodeType) => NodeType,
): Promise<{ run: MemoryRun; requests: readonly HttpRequest[] }> {
  const requests: HttpRequest[] = [];
  const files = createMemoryFiles();
  const options = {
    trigger: example.trigger,
    vars: example.vars ?? {},
    services: { code, files: () => files, ...exampleServices(example, requests) },
    ...(example.credential && { openCredential: credentialOf(example) }),
    ...(replace && { replace }),
  };
  const answers = Object.entries(example.answers ?? {});
  const waitAnswers = new Map(answers.map(([id, answer]) => [id.includes('/') ? id : `${id}/`, answer]));
  let run = await runInMemory(example.definition, options);
  const journal = [...run.journal];
  for (let rests = 0; run.ending.kind === 'waiting'; rests += 1) {
    if (rests === MAX_RESTS) throw new Error(`the example rests more than ${MAX_RESTS} times`);
    run = await runInMemory(example.definition, { ...options, records: lastRecords(journal), waitAnswers });
    if (run.ending.kind === 'waiting' && run.journal.length === 0)
      throw new Error('a wait of the example has no answer');
    journal.push(...run.journal);
  }
  return { run: { ...run, journal, last: lastRecords(journal) }, requests };
}

/** Returns the example of a built-in node type. @throws if it has none. */
export function exampleOf({ type, example }: NodeType): NodeExample {
  if (!example) throw new Error(`the node type ${type} has no example`);
  return example;
}

type SeenParameters = readonly [JsonValue, ...JsonValue[]];

const seenParameters = new WeakMap<NodeType, Promise<SeenParameters>>();

/**
 * Returns the evaluated parameters of the nodes of a type in its example: one entry per run of such a node. The example
 * runs once: those that read files start a process.
 */
export function exampleParameters(type: NodeType): Promise<SeenParameters> {
  const seen = seenParameters.get(type) ?? readParameters(type);
  seenParameters.set(type, seen);
  return seen;
}

async function readParameters(type: NodeType): Promise<SeenParameters> {
  const seen: JsonValue[] = [];
  await runExample(exampleOf(type), (original) => ({
    ...original,
    run(parameters, context) {
      if (original.type === type.type) seen.push(parameters);
      return original.run(parameters, context);
    },
  }));
  const [first, ...others] = seen;
  if (first === undefined) throw new Error(`the example of ${type.type} runs no node of that type`);
  return [first, ...others];
}

/** Creates a session of an empty server that takes one file. */
function createMemorySession(): SftpSession {
  const refuse = (): never => {
    throw new Error('examples only put a file');
  };
  let bytes = 0;
  return {
    async write(_path, content) {
      for await (const piece of content) bytes += piece.byteLength;
      return bytes;
    },
    sizeOf: () => Promise.resolve(bytes),
    rename: () => Promise.resolve(),
    list: () => Promise.resolve({ entries: [], isComplete: true }),
    ...{ read: refuse, remove: refuse, makeFolder: refuse },
  };
}

/** Gives out the credential of an example, which goes with one of its nodes. */
export function credentialOf({ credential }: NodeExample): () => Promise<Credential> {
  return () => (credential ? Promise.resolve(credential) : Promise.reject(new Error('the example has no credential')));
}

function exampleServices(
  { response, responses = response && [response], queryResult, receipt }: NodeExample,
  requests: HttpRequest[],
): Partial<NodeServices> {
  /** Of the one lock of an example. */
  let holders = 0;
  return {
    workflows: { start: () => Promise.resolve('01890a5d-ac96-774b-bcce-b302099a8058') },
    locks: {
      acquire: ({ maxHolders }) => Promise.resolve({ kind: (holders += 1) > maxHolders ? 'timedOut' : 'acquired' }),
      release: () => Promise.resolve(),
    },
    responses: { send: () => Promise.resolve('responded') },
    sftp: { use: (_target, work) => work(createMemorySession()) },
    results: { check: () => Promise.resolve(undefined) },
    connectors: connectorsOf(),
    agentMemories: { read: () => Promise.resolve([]), write: () => Promise.resolve() },
    modelCalls: {
      begin: () => Promise.resolve('call'),
      settle: () => Promise.resolve(null),
      withdraw: () => Promise.resolve(),
    },
    ...(queryResult && { postgres: { query: () => Promise.resolve(queryResult) } }),
    ...(receipt && { mail: { send: () => Promise.resolve(receipt) } }),
    ...(responses && {
      http: {
        request(request) {
          const next = responses[requests.push(request) - 1] ?? response;
          if (!next) return Promise.reject(new Error(`the example has no response to request ${requests.length}`));
          return Promise.resolve({ ...next, setCookies: [], body: Buffer.from(next.body) });
        },
      },
    }),
  };
}
