import { createDatabase, listExecutionIds, type ListExecutionsRequest, readExecutions } from '@deckhand/db';
import { FOUR_NODES } from './workflows.ts';
import { explaining } from './explain.ts';
import { generateRuns, indexAll, type RunOwner } from './generate-runs.ts';
import { withRssPeak } from './rss.ts';
import { post, type Stack } from './stack.ts';

/** One query of the list among many runs. Times in ms, the median of the repeats. */
export interface ListResult {
  readonly query: string;
  readonly rows: number;
  readonly statements: number;
  /** Time of the database server: planning and execution of all statements, by EXPLAIN ANALYZE. */
  readonly serverMs: number;
  /** Time that a caller waited. */
  readonly httpMs: number;
}

/** One export. */
export interface ExportResult {
  readonly format: string;
  readonly rows: number;
  readonly megabytes: number;
  readonly firstByteMs: number;
  readonly seconds: number;
  /** The API's memory before, and at most while it wrote, in MB. */
  readonly rssBefore: number;
  readonly rssPeak: number;
}

type Filters = Partial<Omit<ListExecutionsRequest, 'after'>> & { readonly offset?: number };

const REPEATS = 5;

/**
 * Fills the tables with `runs` old runs, nine of ten in one workspace, and measures lists and exports of that
 * workspace.
 */
export async function lists(
  stack: Stack,
  { runs }: { runs: number },
): Promise<{ lists: ListResult[]; exports: ExportResult[] }> {
  const { owner, other } = await createOwners(stack);
  const startedAt = performance.now();
  await generateRuns(stack.db, [owner, other], { count: runs }, (written) => {
    if (written % 250_000 === 0 || written === runs) console.log(`  ${written} runs written`);
  });
  console.log('  Making them searchable ...');
  await indexAll(stack.db);
  console.log(`  Ready after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const results: ListResult[] = [];
  for (const [query, filters] of queries(owner, runs)) {
    results.push(await measure(stack, owner.workspaceId, query, filters));
  }
  const exports = [];
  for (const format of ['csv', 'json']) exports.push(await measureExport(stack, owner.workspaceId, format));
  return { lists: results, exports };
}

/** Two workspaces with workflows for old runs: 36 in the stack's own, 4 in another. */
export async function createOwners(stack: Stack): Promise<{ owner: RunOwner; other: RunOwner }> {
  const headers = { 'x-api-key': stack.apiKey };
  const small = await post<{ id: string }>(stack.url, '/api/workspaces', { name: 'Other' }, headers);
  async function create(workspaceId: string, count: number): Promise<RunOwner> {
    const workflows = [];
    for (let i = 0; i < count; i += 1) {
      const body = { workspaceId, name: `Orders ${i}`, definition: FOUR_NODES };
      workflows.push(await post<{ id: string; latestVersionId: string }>(stack.url, '/api/workflows', body, headers));
    }
    return { workspaceId, workflows };
  }
  return { owner: await create(stack.workspaceId, 36), other: await create(small.id, 4) };
}

function queries({ workflows }: RunOwner, runs: number): [string, Filters][] {
  const at = (share: number): string => new Date(Date.now() - runs * 2_000 * share).toISOString();
  const workflowId = workflows[0]?.id;
  return [
    ['newest', {}],
    ['oldest', { sortOrder: 'asc' }],
    ['sortBy createdAt', { sortBy: 'createdAt' }],
    ['sortBy finishedAt', { sortBy: 'finishedAt' }],
    ['offset 10,000', { offset: 10_000 }],
    ['status success', { status: ['success'] }],
    ['status stopped (1 %)', { status: ['stopped'] }],
    ['status paused (none)', { status: ['paused'] }],
    ['two statuses', { status: ['failed', 'timeout'] }],
    ['executionMode sandbox (none)', { executionMode: ['sandbox'] }],
    ['source schedule (none)', { source: ['schedule'] }],
    ['workflowName (none)', { workflowName: 'Nowhere' }],
    ['one workflow (1 in 40)', { workflowId }],
    ['one workflow, failed', { workflowId, status: ['failed'] }],
    ['startedAt in a tenth', { startedAt: { gte: at(0.6), lte: at(0.5) } }],
    ['search: frequent (1 in 8)', { search: 'Barbara' }],
    ['search: 1 in 64', { search: 'ada lovelace' }],
    ['search: 1 in 1,000', { search: '"amount":777' }],
    ['search: an address (1 in 50,000)', { search: 'user155@example.com' }],
    ['search: one order', { search: 'f1c1592588411002af340cbaedd6fc33' }],
    ['search: nothing', { search: 'zircon quartz' }],
    ['search: 1 in 64, failed', { search: 'ada lovelace', status: ['failed'] }],
    ['errorContains: frequent', { errorContains: 'the service answered' }],
    ['errorContains: 1 in 100 failures', { errorContains: 'api17.example' }],
    ['errorContains: nothing', { errorContains: 'out of memory' }],
  ];
}

async function measure(stack: Stack, workspaceId: string, query: string, filters: Filters): Promise<ListResult> {
  const { offset, ...given } = filters;
  const request = { sortBy: 'startedAt', sortOrder: 'desc', ...given, workspaceId } as const;
  const page = { limit: 100, offset: offset ?? 0, includeTotal: false };
  const member = await stack.db.membership.findFirstOrThrow({ where: { workspaceId } });
  const actor = { userId: member.userId, boundTo: null };
  const own = createDatabase({ url: stack.postgres.url, poolSize: 1 });
  const server: { ms: number; statements: number; rows: number }[] = [];
  const http: number[] = [];
  try {
    for (let i = 0; i < REPEATS; i += 1) {
      const { db, serverMs, statements } = explaining(own);
      const { ids } = await listExecutionIds(db, actor, { ...request, ...page });
      const entries = ids.map((executionId) => ({ executionId, actor, isSlim: true }));
      if (entries.length > 0) await readExecutions(db, entries);
      server.push({ ms: serverMs(), statements: statements(), rows: ids.length });
      http.push(await timeOf(stack, workspaceId, filters));
    }
  } finally {
    await own.$disconnect();
  }
  const [first] = server;
  return {
    query,
    rows: first?.rows ?? 0,
    statements: first?.statements ?? 0,
    serverMs: median(server.map(({ ms }) => ms)),
    httpMs: median(http),
  };
}

function urlOf(stack: Stack, path: string, { startedAt, metadata: _, ...params }: Filters & { format?: string }): URL {
  const url = new URL(path, stack.url);
  const bounds = Object.entries(startedAt ?? {}).map(([bound, time]) => [`startedAt[${bound}]`, time] as const);
  for (const [name, value] of [...Object.entries(params), ...bounds]) url.searchParams.set(name, String(value));
  return url;
}

async function timeOf(stack: Stack, workspaceId: string, filters: Filters): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(urlOf(stack, '/api/executions', { workspaceId, ...filters }), {
    headers: { 'x-api-key': stack.apiKey },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return performance.now() - startedAt;
}

async function measureExport(stack: Stack, workspaceId: string, format: string): Promise<ExportResult> {
  const { value, before, peak } = await withRssPeak(stack.api.pid, () => readExport(stack, workspaceId, format));
  return { format, ...value, rssBefore: before, rssPeak: peak };
}

async function readExport(stack: Stack, workspaceId: string, format: string) {
  const startedAt = performance.now();
  const answer = await fetch(urlOf(stack, '/api/executions/export', { workspaceId, format }), {
    headers: { 'x-api-key': stack.apiKey },
  });
  if (!answer.ok || answer.body === null) throw new Error(await answer.text());
  let firstByteMs = 0;
  let bytes = 0;
  let rows = 0;
  const body: AsyncIterable<Uint8Array> = answer.body;
  for await (const chunk of body) {
    if (bytes === 0) firstByteMs = performance.now() - startedAt;
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) rows += 1;
  }
  return {
    rows: rows - (format === 'csv' ? 1 : 2),
    megabytes: Math.round(bytes / 1_000_000),
    firstByteMs: Math.round(firstByteMs),
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
