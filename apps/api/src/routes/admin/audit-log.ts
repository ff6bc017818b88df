import { AuditLogEntry, ListInstanceAuditLogQuery, pageOf } from '@deckhand/contracts';
import { listInstanceChanges } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListInstanceAuditLogQuery);

/**
 * GET /api/admin/audit-log: who did what in the whole instance, the latest first, for its administrators. It has what
 * belongs to no workspace, such as keys and sign-ins, and what was done in workspaces that are deleted.
 */
export function listInstanceAuditLog({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/admin/audit-log',
    {
      summary: 'List who did what in the instance',
      returns: 'Entries of the audit log, the latest first',
      query: ListInstanceAuditLogQuery,
      responses: { 200: pageOf(AuditLogEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await listInstanceChanges(db, caller, readQuery(request)));
    },
  );
}
