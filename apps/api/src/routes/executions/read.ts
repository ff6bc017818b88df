import Type from 'typebox';
import { pathId, queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(Type.Object({ slim: Type.Boolean({ default: false }) }));

/** GET /api/executions/{id}: the run with its progress node by node; `slim=true` leaves the outputs out. */
export function readExecution({ executions }: Services): Route {
  return forKey('GET', '/api/executions/:id', async (request, response, caller) => {
    const { slim } = readQuery(request);
    sendJsonText(response, 200, await executions.read(caller, pathId(request), { isSlim: slim }));
  });
}
