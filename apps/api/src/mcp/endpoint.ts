import { DeckhandError, Id, isJsonObject, validationFailed } from '@deckhand/contracts';
import { type Request, type Response as HttpResponse, Router } from 'express';
import { pipeline } from 'node:stream/promises';
import Type from 'typebox';
import { clientGone } from '../http/client-gone.ts';
import { queryReader, refuseUnknownParameters } from '../http/read-request.ts';
import { readMixedBody } from '../http/read-body.ts';
import type { McpContext } from '../contexts.ts';

/** The path of the endpoint. */
const MCP_PATH = '/mcp';

/** Checks the workspace that a client names in its URL. */
const readQuery = queryReader(Type.Object({ workspaceId: Type.Optional(Id) }));

/** Request headers of the protocol. Others, above all those with keys, stay here. */
const PASSED_HEADERS = /^(accept|content-type|mcp-.*)$/;

/**
 * Creates the endpoint of the Model Context Protocol: Streamable HTTP without sessions, so that any replica can take
 * any message. A message is authenticated, limited and logged as a request of the API is.
 */
export function createMcpEndpoint(mcp: McpContext): Router {
  const router = Router();
  router
    .route(MCP_PATH)
    .post(async (request, response) => {
      requireKnownOrigin(request, mcp.settings.origins);
      const caller = await mcp.runs.authenticate.key(request);
      refuseUnknownParameters(request, undefined);
      readQuery(request);
      const { value: message, check } = await readMixedBody(request);
      // A list of messages is of a revision of the protocol that has ended, and would be many requests in one.
      if (!isJsonObject(message)) throw validationFailed([{ path: '', message: 'must be one JSON-RPC message' }]);
      const signal = clientGone(response);
      // Loaded on first use, because few gateways have such clients.
      const { handleMessage } = await import('./server.ts');
      const mcpRequest = { request, caller, message, check, signal };
      await send(response, await handleMessage(mcp, mcpRequest, toWebRequest(request, signal)));
    })
    .all(() => {
      throw new DeckhandError('METHOD_NOT_ALLOWED', { headers: { Allow: 'POST' } });
    });
  return router;
}

/**
 * Refuses pages of other origins (DNS rebinding: a page whose host name suddenly is that of this service). Programs
 * send no `Origin`. @throws DeckhandError FORBIDDEN.
 */
function requireKnownOrigin({ headers }: Request, origins: ReadonlySet<string>): void {
  const { origin } = headers;
  if (origin === undefined || origins.has(origin)) return;
  throw new DeckhandError('FORBIDDEN', { message: 'Pages of this origin may not call the service' });
}

function toWebRequest({ headers }: Request, signal: AbortSignal): globalThis.Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && PASSED_HEADERS.test(name) ? [[name, value]] : [],
  );
  return new globalThis.Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers: passed, signal });
}

/** Sends the response, part by part if it is a stream. */
async function send(response: HttpResponse, { status, headers, body }: globalThis.Response): Promise<void> {
  response.writeHead(status, { 'Cache-Control': 'no-store', ...Object.fromEntries(headers) });
  if (body === null) response.end();
  else await pipeline(body, response);
}
