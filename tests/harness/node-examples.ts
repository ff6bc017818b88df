import { type Credential, type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import type {
  HttpRequest,
  MailReceipt,
  NodeServices,
  NodeType,
  PostgresResult,
  ScriptRunner,
  TerminalResult,
  WaitAnswer,
} from '@deckhand/engine';
import { createScriptRunner } from '@deckhand/nodes';
import { existsSync, readFileSync } from 'node:fs';
import { lastRecords, type MemoryRun, runInMemory } from './engine.ts';

/** The folder of the nodes' pages. */
export const NODE_DOCS = new URL('../../docs/nodes/', import.meta.url);

/** A node of an example's definition. */
export interface ExampleNode {
  readonly id: string;
  readonly type: string;
  readonly parameters?: JsonObject;
}

/** The response to a request of an example. */
export interface ExampleResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A small workflow around one node type, with what it leads to: `docs/nodes/examples/<type>.json`. */
export interface NodeExample {
  readonly trigger: JsonValue;
  readonly vars?: JsonObject;
  readonly definition: { readonly nodes: readonly ExampleNode[]; readonly edges: readonly JsonObject[] };
  /** How the waits of nodes end, by node, or by node and iteration, such as `rest/0`. */
  readonly answers?: Readonly<Record<string, WaitAnswer>>;
  /** The request of the http node, as far as it is given, and its response. */
  readonly request?: Partial<HttpRequest>;
  readonly response?: ExampleResponse;
  /** The responses of several requests, in their order. */
  readonly responses?: readonly ExampleResponse[];
  /** The secret of the node's credential. */
  readonly credential?: Credential;
  /** The response of its database or mail server. */
  readonly queryResult?: PostgresResult;
  readonly receipt?: MailReceipt;
  /** Expected: outputs by node, nodes that are skipped or stopped, and the run's result or error. */
  readonly outputs: JsonObject;
  readonly skipped?: readonly string[];
  readonly stopped?: readonly string[];
  readonly result?: TerminalResult;
  readonly error?: { readonly message: string; readonly code: string };
}

/** Reads the example of a node type. @throws when there is none. */
export function readExample(type: string): NodeExample {
  const file = new URL(`examples/${type}.json`, NODE_DOCS);
  if (!existsSync(file)) throw new Error(`docs/nodes/examples/${type}.json: each node type has an example there`);
  return parseOwnJson<NodeExample>(readFileSync(file, 'utf8'));
}

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
  const options = {
    trigger: example.trigger,
    vars: example.vars ?? {},
    services: { code, ...exampleServices(example, requests) },
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

/** The evaluated parameters of the nodes of a type in its example: one entry per run of such a node. */
export async function exampleParameters(type: string): Promise<readonly [JsonValue, ...JsonValue[]]> {
  const seen: JsonValue[] = [];
  await runExample(readExample(type), (original) => ({
    ...original,
    run(parameters, context) {
      if (original.type === type) seen.push(parameters);
      return original.run(parameters, context);
    },
  }));
  const [first, ...others] = seen;
  if (first === undefined) throw new Error(`the example of ${type} runs no node of that type`);
  return [first, ...others];
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
