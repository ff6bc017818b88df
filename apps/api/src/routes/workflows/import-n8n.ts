import {
  compileBody,
  DryRunQuery,
  ImportedWorkflow,
  ImportN8nBody,
  ImportPreview,
  validationFailed,
} from '@deckhand/contracts';
import { requirePermission } from '@deckhand/db';
import { type ImportedWorkflow as Imported, importN8n, NotAWorkflowError, toKeptReport } from '@deckhand/import-n8n';
import { runInTimeSlices, TooMuchWorkError } from '@deckhand/runtime';
import { findAllIssues, oneAtATime } from '../../definitions.ts';
import { queryReader } from '../../http/read-request.ts';
import { readBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { ResourceContext } from '../../contexts.ts';
import { storeNewWorkflow } from '../../workflows/store-workflows.ts';

const parse = compileBody(ImportN8nBody);
const readQuery = queryReader(DryRunQuery);

/** Maximum size of a body, in bytes: that of a workflow with a thousand long nodes. */
const MAX_IMPORT_BODY_BYTES = 2 * 1024 * 1024;
/** How long the conversion may take each time, without the checks of its result, in ms. */
const MAX_CONVERSION_MS = 5_000;

/** Maximum length of a name, in characters. */
const MAX_NAME = 200;

/** POST /api/workflows/import/n8n */
export function importN8nWorkflow(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/import/n8n',
    'workflows:write',
    {
      summary: 'Import a workflow of n8n',
      description:
        'Converts the export of a workflow, and creates a draft with it. The report says for each node whether it was converted, needs a review, or is a stub that fails. With `dryRun=true`, nothing is created.',
      returns: 'The workflow and the report; with dryRun=true, the definition instead of the workflow',
      takesIdempotencyKey: true,
      query: DryRunQuery,
      body: ImportN8nBody,
      responses: { 200: ImportPreview, 201: ImportedWorkflow },
    },
    async (request, response, caller) => {
      const { dryRun } = readQuery(request);
      const body = parse(await readBody(request, MAX_IMPORT_BODY_BYTES));
      // Only members may have something converted, which takes time.
      await requirePermission(context.db, caller, body.workspaceId, 'workflows.edit');
      const converted = await oneAtATime(caller.userId, () => convert(context, body));
      const { name, definition, notes, tasks, remarks } = converted;
      if (dryRun) {
        sendJson(response, 200, { name, definition, notes, tasks, remarks });
        return;
      }
      await context.answerOnce({ request, response, caller, body }, async (actor) => {
        const { workspaceId, folderId = null } = body;
        const asked = { workspaceId, name, folderId, definition };
        const created = await storeNewWorkflow(context, actor, asked, toKeptReport(converted));
        return { status: 201, body: { ...created, notes, tasks, remarks } };
      });
    },
  );
}

/** @throws DeckhandError VALIDATION_FAILED for JSON that is not a workflow of n8n. */
async function convert({ nodeTypes }: ResourceContext, body: ImportN8nBody): Promise<Imported> {
  try {
    const imported = await importN8n(body.workflow, {
      findIssues: (definition) => findAllIssues(definition, nodeTypes),
      run: (steps) => runInTimeSlices(steps, MAX_CONVERSION_MS),
    });
    return { ...imported, name: (body.name ?? imported.name).slice(0, MAX_NAME) };
  } catch (error) {
    if (error instanceof NotAWorkflowError) throw validationFailed([{ path: 'workflow', message: error.message }]);
    if (!(error instanceof TooMuchWorkError)) throw error;
    const message = `takes more than ${MAX_CONVERSION_MS / 1_000} s to convert: make several workflows of it`;
    throw validationFailed([{ path: 'workflow', message }]);
  }
}
