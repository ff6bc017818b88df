import { DeckhandError, ExecutionExport, ExportExecutionsQuery } from '@deckhand/contracts';
import { exportExecutionIds, requireRole } from '@deckhand/db';
import type { Response } from 'express';
import { once } from 'node:events';
import { queryReader } from '../../http/query.js';
import { forKey, type Route } from '../../http/route.js';
import { EXPORT_FORMATS } from '../../runs/export-format.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ExportExecutionsQuery);

const BATCH_SIZE = 200;
/**
 * Exports of one process at once, more than one workspace has: each holds a database connection for as long as it
 * takes.
 */
const CONCURRENT_MAX = 4;
const RETRY_AFTER_SECONDS = 5;
/** The longest export, in ms. */
const TIMEOUT_MS = 30 * 60_000;
/** How long a caller may take nothing before it counts as gone, in ms. */
const STALL_MS = 60_000;

/**
 * GET /api/executions/export: all matching runs as a file. It is written as it is read, so that its size costs no
 * memory; when something fails halfway the connection breaks, and nobody takes half a file for a whole one.
 */
export function exportExecutions({ db, executions, shares }: Services): Route {
  let running = 0;
  return forKey(
    'GET',
    '/api/executions/export',
    {
      summary: 'Export all matching runs as a file',
      returns: 'The runs, as JSON or CSV',
      query: ExportExecutionsQuery,
      responses: { 200: ExecutionExport },
      alsoAs: ['text/csv'],
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { format: name, ...query } = readQuery(request);
      const format = EXPORT_FORMATS[name];
      if (running >= CONCURRENT_MAX) {
        throw new DeckhandError('RATE_LIMITED', {
          message: 'Too many exports at once',
          details: { limit: CONCURRENT_MAX, retryAfterSeconds: RETRY_AFTER_SECONDS },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        });
      }
      running += 1;
      try {
        let isBegun = false;
        const begin = (): void => {
          if (isBegun) return;
          isBegun = true;
          response.writeHead(200, {
            'Content-Type': format.contentType,
            'Content-Disposition': `attachment; filename="executions-${new Date().toISOString().slice(0, 10)}.${name}"`,
            'Cache-Control': 'no-store',
          });
          response.write(format.head);
        };
        const options = { ...query, batchSize: BATCH_SIZE, timeoutMs: TIMEOUT_MS };
        const writeBatch = async (ids: readonly string[]): Promise<void> => {
          const entries = await executions.readEntries(caller, ids, { progress: 'nodes' });
          if (entries.length === 0) throw new DeckhandError('FORBIDDEN', { message: 'The runs are no longer visible' });
          const separator = isBegun ? format.separator : '';
          begin();
          await write(response, separator + format.batch(entries));
        };
        // Nobody but its members may use up a workspace's share.
        await requireRole(db, caller, query.workspaceId, 'viewer');
        await shares.within(query.workspaceId, 'exports', () => exportExecutionIds(db, caller, options, writeBatch));
        begin();
        response.end(format.tail);
      } finally {
        running -= 1;
      }
    },
  );
}

/** Writes and, where the caller reads slower than the database, waits for it. @throws once the caller is gone. */
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
