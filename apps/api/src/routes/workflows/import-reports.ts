import { compileCheck, KeptImportReport, openTasks, WorkflowImportReport } from '@deckhand/contracts';
import { deleteImportReport as remove, readImportReport } from '@deckhand/db';
import type { ResourceContext } from '../../contexts.ts';
import { savedNodes } from '../../definitions.ts';
import { pathId } from '../../http/read-request.ts';
import { sendJson, sendNothing } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';

const check = compileCheck(KeptImportReport);

/** GET /api/workflows/{id}/import-report */
export function getImportReport({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/import-report',
    'workflows:read',
    {
      summary: 'Get the report of the import of a workflow',
      description:
        'Returns what people have to do since a workflow was imported, and what of it the latest version has done. 404 for a workflow that was not imported or needs nothing, and once the report is dismissed.',
      returns: 'The report',
      responses: { 200: WorkflowImportReport },
    },
    async (request, response, caller) => {
      const { importedAt, report, definition } = await readImportReport(db, caller, pathId(request));
      const kept = check(report);
      if ('issues' in kept) throw new Error('the report of an import has another form');
      const tasks = openTasks(kept.value.tasks, savedNodes(definition));
      sendJson(response, 200, { importedAt, ...kept.value, tasks });
    },
  );
}

/** DELETE /api/workflows/{id}/import-report */
export function deleteImportReport({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/workflows/:id/import-report',
    'workflows:write',
    {
      summary: 'Dismiss the report of the import of a workflow',
      description: 'Deletes the report for all members of the workspace. The workflow does not change.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}
