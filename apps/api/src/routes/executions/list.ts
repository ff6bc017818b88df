import { ExecutionPage, ListExecutionsQuery } from '@deckhand/contracts';
import { hasSeen, textTag } from '../../http/etag.ts';
import { setAge, wantsFresh } from '../../http/freshness.ts';
import { queryReader } from '../../http/read-request.ts';
import { sendJsonText } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { listRuns } from '../../runs/list-runs.ts';
import type { RunContext } from '../../contexts.ts';

const readQuery = queryReader(ListExecutionsQuery);

/** Longest page with an ETag, in characters: the digest of a longer one would delay other requests. */
const MAX_TAGGED_LENGTH = 1_048_576;

/** GET /api/executions */
export function listExecutions(context: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions',
    'executions:read',
    {
      summary: 'List the runs of a workspace',
      description: 'Lists runs without outputs. Takes filters, and a cursor for the next page.',
      returns: 'Runs without outputs, the last started first',
      query: ListExecutionsQuery,
      headers: { 'If-None-Match': 'The ETag of an earlier response: 304 while the page is the same' },
      readsReplica: true,
      responses: { 200: ExecutionPage, 304: null },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const isFresh = wantsFresh(request);
      const { value, ageMs } = await listRuns(context, caller, readQuery(request), { isFresh });
      setAge(response, ageMs);
      response.setHeader('Cache-Control', 'private, no-cache');
      if (value.length <= MAX_TAGGED_LENGTH) {
        const etag = textTag(value);
        response.setHeader('ETag', etag);
        if (hasSeen(request, etag)) {
          response.writeHead(304).end();
          return;
        }
      }
      sendJsonText(response, 200, value);
    },
  );
}
