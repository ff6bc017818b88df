import {
  AuditLogEntry,
  compileBody,
  InstanceSettings,
  InstanceSettingsBody,
  ListInstanceAuditLogQuery,
  ModelPrices,
  ModelPricesBody,
  pageOf,
  validationFailed,
  WorkspaceLimits,
  WorkspaceLimitsBody,
  WorkspaceUsage,
} from '@deckhand/contracts';
import {
  listInstanceChanges,
  readLimits,
  readModelPrices,
  readSettingsAs,
  readUsage,
  writeLimits,
  writeModelPrices,
  writeSettings,
} from '@deckhand/db';
import { pathId, queryReader } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson } from '../http/respond.ts';
import { forSession, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const SETTINGS_PATH = '/api/admin/settings';
const parseSettings = compileBody(InstanceSettingsBody);

/** GET /api/admin/settings */
export function getInstanceSettings({ db }: ResourceContext): Route {
  return forSession(
    'GET',
    SETTINGS_PATH,
    {
      summary: 'Get the settings of the instance',
      description: 'For administrators of the instance.',
      returns: 'The settings',
      responses: { 200: InstanceSettings },
    },
    async (_request, response, caller) => {
      sendJson(response, 200, await readSettingsAs(db, caller));
    },
  );
}

/** PUT /api/admin/settings */
export function updateInstanceSettings({ db }: ResourceContext): Route {
  return forSession(
    'PUT',
    SETTINGS_PATH,
    {
      summary: 'Update the settings of the instance',
      description:
        'Replaces all settings. `null` keeps data forever, or sets no limit. For administrators of the instance.',
      returns: 'The updated settings',
      body: InstanceSettingsBody,
      responses: { 200: InstanceSettings },
    },
    async (request, response, caller) => {
      const settings = parseSettings(await readBody(request));
      refuseDataBeyondRuns(settings);
      sendJson(response, 200, await writeSettings(db, caller, settings));
    },
  );
}

/** A run's data is deleted before the run, or with it. */
function refuseDataBeyondRuns({ dataRetentionDays, runRetentionDays }: InstanceSettings): void {
  if (runRetentionDays === null || (dataRetentionDays ?? 0) <= runRetentionDays) return;
  throw validationFailed([{ path: 'dataRetentionDays', message: 'must not be more than runRetentionDays' }]);
}

const PRICES_PATH = '/api/admin/model-prices';
const parsePrices = compileBody(ModelPricesBody);

/** GET /api/admin/model-prices */
export function getModelPrices({ db }: ResourceContext): Route {
  return forSession(
    'GET',
    PRICES_PATH,
    {
      summary: 'Get the prices of language models',
      description: 'For administrators of the instance.',
      returns: 'The prices',
      responses: { 200: ModelPrices },
    },
    async (_request, response, caller) => {
      sendJson(response, 200, await readModelPrices(db, caller));
    },
  );
}

/** PUT /api/admin/model-prices */
export function updateModelPrices({ db }: ResourceContext): Route {
  return forSession(
    'PUT',
    PRICES_PATH,
    {
      summary: 'Update the prices of language models',
      description:
        'Replaces all prices that administrators set. They apply to calls from now on; built-in prices stay. For administrators of the instance.',
      returns: 'The updated prices',
      body: ModelPricesBody,
      responses: { 200: ModelPrices },
    },
    async (request, response, caller) => {
      const body = parsePrices(await readBody(request));
      refuseSecondPrices(body);
      sendJson(response, 200, await writeModelPrices(db, caller, body));
    },
  );
}

/** A model has one price on a day. */
function refuseSecondPrices({ prices }: ModelPricesBody): void {
  const found = new Set<string>();
  for (const [index, { provider, model, validFrom }] of prices.entries()) {
    const key = `${validFrom} ${provider} ${model}`;
    if (found.has(key)) {
      const message = 'is the second price of this model from this day on';
      throw validationFailed([{ path: `prices[${index}].validFrom`, message }]);
    }
    found.add(key);
  }
}

const LIMITS_PATH = '/api/admin/workspaces/:id/limits';
const parseLimits = compileBody(WorkspaceLimitsBody);

/** GET /api/admin/workspaces/{id}/limits */
export function getWorkspaceLimits({ db }: ResourceContext): Route {
  return forSession(
    'GET',
    LIMITS_PATH,
    {
      summary: 'Get the limits of a workspace',
      description: 'For administrators of the instance.',
      returns: 'The limits; null means no limit',
      responses: { 200: WorkspaceLimits },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readLimits(db, caller, pathId(request)));
    },
  );
}

/** PUT /api/admin/workspaces/{id}/limits */
export function updateWorkspaceLimits({ db }: ResourceContext): Route {
  return forSession(
    'PUT',
    LIMITS_PATH,
    {
      summary: 'Update the limits of a workspace',
      description: '`null` removes a limit. For administrators of the instance.',
      returns: 'The updated limits',
      body: WorkspaceLimitsBody,
      responses: { 200: WorkspaceLimits },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      sendJson(response, 200, await writeLimits(db, caller, id, parseLimits(await readBody(request))));
    },
  );
}

/** GET /api/admin/workspaces/{id}/usage */
export function getStoredBytes({ db }: ResourceContext): Route {
  return forSession(
    'GET',
    '/api/admin/workspaces/:id/usage',
    {
      summary: 'Get the usage of a workspace, as an administrator',
      description: 'For administrators of the instance.',
      returns: 'The current usage',
      responses: { 200: WorkspaceUsage },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readUsage(db, caller, pathId(request)));
    },
  );
}

const readQuery = queryReader(ListInstanceAuditLogQuery);

/** GET /api/admin/audit-log */
export function listInstanceAuditLog({ db }: ResourceContext): Route {
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
