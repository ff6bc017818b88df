import { compileBody, InstanceSettings, InstanceSettingsBody, validationFailed } from '@deckhand/contracts';
import { readSettingsAs, writeSettings as write } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const PATH = '/api/admin/settings';
const parse = compileBody(InstanceSettingsBody);

/** GET /api/admin/settings */
export function readSettings({ db }: Services): Route {
  return forSession(
    'GET',
    PATH,
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
export function writeSettings({ db }: Services): Route {
  return forSession(
    'PUT',
    PATH,
    {
      summary: 'Update the settings of the instance',
      description:
        'Replaces all settings. `null` keeps data forever, or sets no limit. For administrators of the instance.',
      returns: 'The updated settings',
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

/** A run's data is deleted before the run, or with it. */
function refuseDataBeyondRuns({ dataRetentionDays, runRetentionDays }: InstanceSettings): void {
  if (runRetentionDays === null || (dataRetentionDays ?? 0) <= runRetentionDays) return;
  throw validationFailed([{ path: 'dataRetentionDays', message: 'must not be more than runRetentionDays' }]);
}
