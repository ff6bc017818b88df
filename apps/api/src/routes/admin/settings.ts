import { compileBody, InstanceSettings, InstanceSettingsBody, validationFailed } from '@deckhand/contracts';
import { readSettingsAs, writeSettings as write } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const PATH = '/api/admin/settings';
const parse = compileBody(InstanceSettingsBody);

/** GET /api/admin/settings: for administrators of the instance. */
export function readSettings({ db }: Services): Route {
  return forSession(
    'GET',
    PATH,
    { summary: 'Read the settings of the instance', returns: 'The settings', responses: { 200: InstanceSettings } },
    async (_request, response, caller) => {
      sendJson(response, 200, await readSettingsAs(db, caller));
    },
  );
}

/** PUT /api/admin/settings: all of them; null is for ever, or no limit. */
export function writeSettings({ db }: Services): Route {
  return forSession(
    'PUT',
    PATH,
    {
      summary: 'Replace the settings of the instance',
      returns: 'The settings as they are now',
      body: InstanceSettingsBody,
      responses: { 200: InstanceSettings },
    },
    async (request, response, caller) => {
      const settings = parse(await readBody(request));
      refuseDataBeyondRuns(settings);
      sendJson(response, 200, await write(db, caller, settings));
    },
  );
}

/** A run's data goes before the run or with it. */
function refuseDataBeyondRuns({ dataRetentionDays, runRetentionDays }: InstanceSettings): void {
  if (runRetentionDays === null || (dataRetentionDays ?? 0) <= runRetentionDays) return;
  throw validationFailed([{ path: 'dataRetentionDays', message: 'must not be more than runRetentionDays' }]);
}
