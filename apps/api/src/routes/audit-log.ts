import { AuditLogEntry, ListAuditLogQuery, pageOf } from '@deckhand/contracts';
import { listChanges } from '@deckhand/db';
import { queryReader } from '../http/read-request.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const readQuery = queryReader(ListAuditLogQuery);

/** GET /api/audit-log */
export function listAuditLog({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/audit-log',
    'audit-log:read',
    {
      summary: 'List the audit log of a workspace',
      description: 'Every member may read it.',
      returns: 'Entries of the audit log, the latest first',
      query: ListAuditLogQuery,
      responses: { 200: pageOf(AuditLogEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await listChanges(db, caller, readQuery(request)));
    },
  );
}
