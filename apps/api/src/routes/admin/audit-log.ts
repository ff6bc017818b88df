import { AuditLogEntry, ListInstanceAuditLogQuery, pageOf } from '@deckhand/contracts';
import { listInstanceChanges } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListInstanceAuditLogQuery);

/** GET /api/admin/audit-log */
export function listInstanceAuditLog({ db }: Services): Route {
  return forSession(
    'GET',
    '/api/admin/audit-log',
    {
      summary: 'List the audit log of the instance',
      description:
        'For administrators of the instance. Includes changes that belong to no workspace, such as API keys and sign-ins, and changes in deleted workspaces.',
      returns: 'Entries of the audit log, the latest first',
      query: ListInstanceAuditLogQuery,
      responses: { 200: pageOf(AuditLogEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await listInstanceChanges(db, caller, readQuery(request)));
    },
  );
}
