import { readFile, writeFile } from 'node:fs/promises';
import type { ApiResponse } from './gateway.ts';

/** A request and what it got. */
export interface Exchange {
  readonly operationId: string;
  readonly request: unknown;
  readonly answer: ApiResponse;
}

interface Example {
  request?: unknown;
  responses?: Record<string, unknown>;
}

const FILE = new URL('../../apps/api/src/openapi/examples.json', import.meta.url);

/** The operations that have examples, by their names. */
export async function namesOfExamples(): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(FILE, 'utf8')) as object);
}

/** When everything in an example happens. */
const EXAMPLE_TIME = Date.parse('2026-11-23T09:30:00.000Z');

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Keys, tokens of sessions and invites, and the random ends of URLs: what could open a door. */
const SECRET = /dk_[A-Za-z0-9_-]{5,}|(?<="(?:token|cursor|nextCursor)":")[^"]{16,}|(?<=\/webhook(?:-test)?\/)[^"]{8,}/g;

/** Items that an example has of a list. */
const MAX_ITEMS = 2;

/**
 * Adds examples of operations that have none yet to `examples.json`. Ids, times and secrets of this very run are
 * replaced by ones that stay the same.
 * @param outdated operations whose examples do not fit their schemas any more: they are recorded again.
 */
export async function recordExamples(exchanges: readonly Exchange[], outdated: ReadonlySet<string>): Promise<void> {
  const stored = JSON.parse(await readFile(FILE, 'utf8')) as Record<string, Example>;
  const again = new Set(exchanges.flatMap(({ operationId }) => (outdated.has(operationId) ? [operationId] : [])));
  const known = Object.fromEntries(Object.entries(stored).filter(([id]) => !again.has(id)));
  const recorded = JSON.parse(settle(JSON.stringify(exchanges.map(toExample)))) as [string, Example][];
  const examples = { ...known };
  for (const [id, { request, responses }] of recorded) {
    if (Object.hasOwn(known, id) || (request === undefined && responses === undefined)) continue;
    examples[id] = {
      ...(request === undefined ? {} : { request }),
      ...examples[id],
      ...(responses === undefined ? {} : { responses: { ...responses, ...examples[id]?.responses } }),
    };
  }
  const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => a.localeCompare(b)));
  await writeFile(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}

function toExample({ operationId, request, answer }: Exchange): [string, Example] {
  const type = answer.headers.get('content-type') ?? '';
  // The data of the first event stands for a stream.
  const event = type.startsWith('text/event-stream') ? /^data: (.*)$/m.exec(answer.text)?.[1] : undefined;
  const body: unknown = event === undefined ? answer.body : JSON.parse(event);
  const isJson = type.startsWith('application/json') || event !== undefined;
  return [operationId, { request, ...(isJson ? { responses: { [answer.status]: shorten(body) } } : {}) }];
}

function shorten(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(0, MAX_ITEMS);
  if (typeof body !== 'object' || body === null) return body;
  const isList = (name: string, value: unknown): boolean => /^(data|buckets)$/.test(name) && Array.isArray(value);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isList(name, value) ? shorten(value) : value]),
  );
}

/** Replaces what differs between two runs. */
function settle(json: string): string {
  const ids = new Map<string, string>();
  const earliest = Math.min(...(json.match(TIME) ?? []).map((time) => Date.parse(time)));
  return json
    .replaceAll(UUID, (id) => {
      const settled = ids.get(id) ?? `01a1fb35-e8df-7352-8660-75a19a55${(0x5600 + ids.size).toString(16)}`;
      ids.set(id, settled);
      return settled;
    })
    .replaceAll(TIME, (time) => new Date(EXAMPLE_TIME + Date.parse(time) - earliest).toISOString())
    .replaceAll(SECRET, (secret) => `${secret.startsWith('dk_') ? 'dk_' : ''}example`);
}
