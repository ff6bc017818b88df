import { checkDuration, DeckhandError, ExecutionExport, ExportExecutionsQuery } from '@deckhand/contracts';
import { type Database, exportExecutionIds, requirePermission } from '@deckhand/db';
import type { Response } from 'express';
import { once } from 'node:events';
import { setAge, wantsFresh } from '../../http/freshness.ts';
import { queryReader } from '../../http/read-request.ts';
import { forKey, type Route } from '../../http/route.ts';
import { EXPORT_FORMATS } from '../../runs/export-format.ts';
import type { RunContext } from '../../contexts.ts';

const readQuery = queryReader(ExportExecutionsQuery);

const BATCH_SIZE = 200;
/** Maximum number of concurrent exports of a process, more than one workspace may have. */
const MAX_CONCURRENT = 4;
const RETRY_AFTER_SECONDS = 5;
/** Time limit of an export, in ms. */
const TIMEOUT_MS = 30 * 60_000;
/** How long a caller may read nothing before it counts as disconnected, in ms. */
const STALL_MS = 60_000;

/** GET /api/executions/export */
export function exportExecutions({ db, runReads, executions, shares }: RunContext): Route {
  let running = 0;
  return forKey(
    'GET',
    '/api/executions/export',
    'executions:read',
    {
      summary: 'Export all matching runs as a file',
      description:
        'Streams all matching runs as JSON or CSV. If the export fails halfway, the connection is closed, so that an incomplete file is noticed.',
      returns: 'The runs, as JSON or CSV',
      query: ExportExecutionsQuery,
      readsReplica: true,
      responses: { 200: ExecutionExport },
      alsoAs: ['text/csv'],
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { format: name, limit: _, offset: __, includeTotal: ___, cursor: ____, ...query } = readQuery(request);
      checkDuration(query);
      const format = EXPORT_FORMATS[name];
      if (running >= MAX_CONCURRENT) {
        throw new DeckhandError('RATE_LIMITED', {
          message: 'Too many exports at once',
          details: { limit: MAX_CONCURRENT, retryAfterSeconds: RETRY_AFTER_SECONDS },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        });
      }
      running += 1;
      try {
        let isBegun = false;
        let isFresh = wantsFresh(request);
        let age: number | undefined;
        // What was read from the primary may be missing on the replica. So from then on, all is read from the primary.
        const read = async <T>(work: (source: Database) => Promise<T>): Promise<T> => {
          const { value, ageMs } = await runReads.read(work, { isFresh });
          isFresh = ageMs === undefined;
          age = ageMs;
          return value;
        };
        const begin = (): void => {
          if (isBegun) return;
          isBegun = true;
          setAge(response, age);
          response.writeHead(200, {
            'Content-Type': format.contentType,
            'Content-Disposition': `attachment; filename="executions-${new Date().toISOString().slice(0, 10)}.${name}"`,
            'Cache-Control': 'no-store',
          });
          response.write(format.head);
        };
        const options = { ...query, batchSize: BATCH_SIZE, timeoutMs: TIMEOUT_MS, read };
        const writeBatch = async (ids: readonly string[]): Promise<void> => {
          const entries = await read((source) => executions.readEntries(caller, ids, { progress: 'nodes' }, source));
          if (entries.length === 0) throw new DeckhandError('FORBIDDEN', { message: 'The runs are no longer visible' });
          const separator = isBegun ? format.separator : '';
          begin();
          await write(response, separator + format.batch(entries));
        };
        // Only members of a workspace may use its share.
        await requirePermission(db, caller, query.workspaceId, 'runs.read');
        await shares.within(query.workspaceId, 'exports', () => exportExecutionIds(db, caller, options, writeBatch));
        begin();
        response.end(format.tail);
      } finally {
        running -= 1;
      }
    },
  );
}

/** Writes, and waits if the caller reads more slowly than the database. @throws once the caller has disconnected. */
async function write(response: Response, text: string): Promise<void> {
  if (response.destroyed) throw new Error('the caller went away');
  if (response.write(text)) return;
  const ended = new AbortController();
  const end = (): void => {
    ended.abort(new Error('the caller went away'));
  };
  response.once('close', end);
  const stalled = setTimeout(end, STALL_MS);
  try {
    await once(response, 'drain', { signal: ended.signal });
  } finally {
    clearTimeout(stalled);
    response.off('close', end);
  }
}
