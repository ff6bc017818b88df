import {
  CheckedConnector,
  compileBody,
  CONNECTOR_NAME,
  CONNECTOR_OPERATION,
  CONNECTOR_VERSION,
  ConnectorEntry,
  ConnectorQuery,
  ConnectorsQuery,
  type ConnectorSummary,
  CreateConnectorBody,
  DeckhandError,
  DryRunQuery,
  OperationDetails,
  OperationEntry,
  type Page,
  type PageOf,
  pageOf,
  parseOwnJson,
} from '@deckhand/contracts';
import {
  createConnector as create,
  deleteConnector as remove,
  findConnectorId,
  listConnectorOperations as listOperations,
  listConnectors as list,
  readConnectorOperation,
  requirePermission,
  type StoredConnector,
} from '@deckhand/db';
import { connectorSummary, operationDetails, operationEntry } from '@deckhand/nodes';
import type { Request } from 'express';
import { readUpload } from '../connectors/read-upload.ts';
import type { ResourceContext } from '../contexts.ts';
import { MAX_DATA_BODY_BYTES, readBody } from '../http/read-body.ts';
import { queryReader } from '../http/read-request.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';

const parseCreate = compileBody(CreateConnectorBody);
const readDryRun = queryReader(DryRunQuery);
const readList = queryReader(ConnectorsQuery);
const readOne = queryReader(ConnectorQuery);

/** POST /api/connectors */
export function createConnector({ db, answerOnce, connectors }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/connectors',
    'connectors:write',
    {
      summary: 'Create a connector',
      description:
        'Reads an OpenAPI document, and the pack that says how its operations are shown. A version of a connector never changes. With `dryRun=true`, everything is checked and nothing is saved.',
      returns: 'The connector; with dryRun=true, also its operations',
      takesIdempotencyKey: true,
      query: DryRunQuery,
      body: CreateConnectorBody,
      responses: { 200: CheckedConnector, 201: ConnectorEntry },
      errors: ['CONFLICT', 'LIMIT_REACHED'],
    },
    async (request, response, caller) => {
      const { dryRun } = readDryRun(request);
      const parsed = parseCreate(await readBody(request, MAX_DATA_BODY_BYTES));
      const body = { ...parsed, workspaceId: parsed.workspaceId.toLowerCase() };
      // Only members may have a document read, which takes a process.
      await requirePermission(db, caller, body.workspaceId, 'connectors.change');
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort();
      });
      if (dryRun) {
        const texts = await readUpload(body, connectors, gone.signal);
        const operations = texts.operations.map(({ summary }) => parseOwnJson<OperationEntry>(summary));
        sendJson(response, 200, { valid: true, connector: toEntry({ ...texts, createdAt: null }), operations });
        return;
      }
      await answerOnce({ request, response, caller, body }, async (actor) => {
        const texts = await readUpload(body, connectors, gone.signal);
        return { status: 201, body: toEntry(await create(db, actor, body.workspaceId, texts)) };
      });
    },
  );
}

/** GET /api/connectors */
export function listConnectors({ db, connectors }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/connectors',
    'connectors:read',
    {
      summary: 'List connectors',
      description: 'Lists the connectors that workflows of a workspace can use: its own, and those that are built in.',
      returns: 'Versions of connectors by name, those of the workspace first',
      query: ConnectorsQuery,
      responses: { 200: pageOf(ConnectorEntry) },
    },
    async (request, response, caller) => {
      const query = readList(request);
      const own = await list(db, caller, query.workspaceId.toLowerCase(), query);
      sendJson(response, 200, toPage(query, shown(own), await listBuiltIn(connectors)));
    },
  );
}

/** GET /api/connectors/{name}/versions */
export function listConnectorVersions({ db, connectors }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/connectors/:name/versions',
    'connectors:read',
    {
      summary: 'List versions of a connector',
      description: 'Lists the versions of a connector that workflows of a workspace can use.',
      returns: 'Versions, the newest ones first',
      query: ConnectorsQuery,
      responses: { 200: pageOf(ConnectorEntry) },
    },
    async (request, response, caller) => {
      const query = readList(request);
      const name = pathText(request, 'name', NAME);
      const own = await list(db, caller, query.workspaceId.toLowerCase(), { ...query, name });
      const builtIn = (await listBuiltIn(connectors)).filter((each) => each.name === name);
      if (own.count + builtIn.length === 0) throw noSuchConnector();
      sendJson(response, 200, toPage(query, shown(own), builtIn));
    },
  );
}

/** DELETE /api/connectors/{name}/versions/{version} */
export function deleteConnector({ db }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/connectors/:name/versions/:version',
    'connectors:write',
    {
      summary: 'Delete a version of a connector',
      description: 'Nodes that call its operations fail with CONNECTOR_NOT_FOUND from now on.',
      query: ConnectorQuery,
      responses: { 204: null },
    },
    async (request, response, caller) => {
      const { workspaceId } = readOne(request);
      await remove(db, caller, workspaceId.toLowerCase(), nameOf(request));
      sendNothing(response);
    },
  );
}

/** GET /api/connectors/{name}/versions/{version}/operations */
export function listConnectorOperations({ db, connectors }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/connectors/:name/versions/:version/operations',
    'connectors:read',
    {
      summary: 'List operations of a connector',
      description: 'Lists what nodes can do with a version of a connector.',
      returns: 'Operations in the order of the pack',
      query: ConnectorsQuery,
      responses: { 200: pageOf(OperationEntry) },
    },
    async (request, response, caller) => {
      const query = readList(request);
      const name = nameOf(request);
      const own = await listOperations(db, caller, query.workspaceId.toLowerCase(), name, {
        page: query,
        toEntry: parseOwnJson<OperationEntry>,
      });
      const packs = own ? [] : await connectors.builtIn.list();
      const builtIn = packs.find((pack) => pack.name === name.name && pack.version === name.version);
      if (!own && !builtIn) throw noSuchConnector();
      const none = { rows: [], count: 0 };
      sendJson(response, 200, own ?? toPage(query, none, (builtIn?.operations ?? []).map(operationEntry)));
    },
  );
}

/** GET /api/connectors/{name}/versions/{version}/operations/{operation} */
export function getConnectorOperation({ db, connectors }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/connectors/:name/versions/:version/operations/:operation',
    'connectors:read',
    {
      summary: 'Get an operation of a connector',
      description: 'Returns the JSON Schema of the values that a node gives it, and that of its response.',
      returns: 'The operation',
      query: ConnectorQuery,
      responses: { 200: OperationDetails },
    },
    async (request, response, caller) => {
      const workspaceId = readOne(request).workspaceId.toLowerCase();
      const { name, version } = nameOf(request);
      const operation = pathText(request, 'operation', OPERATION);
      await requirePermission(db, caller, workspaceId, 'workflows.read');
      const id = await findConnectorId(db, workspaceId, { name, version }, operation);
      const stored =
        id === undefined
          ? await connectors.builtIn.read({ connector: name, version, operation })
          : await readConnectorOperation(db, id, operation);
      if (!stored) throw new DeckhandError('NOT_FOUND', { message: 'No such operation' });
      sendJson(response, 200, operationDetails(stored));
    },
  );
}

const [NAME, VERSION, OPERATION] = [CONNECTOR_NAME, CONNECTOR_VERSION, CONNECTOR_OPERATION].map(
  (pattern) => new RegExp(pattern),
);

function nameOf(request: Request): { name: string; version: string } {
  return { name: pathText(request, 'name', NAME), version: pathText(request, 'version', VERSION) };
}

/** @throws DeckhandError NOT_FOUND for a text that none can have, so that PostgreSQL gets none that it refuses. */
function pathText(request: Request, name: string, pattern: RegExp | undefined): string {
  const value = request.params[name];
  if (typeof value !== 'string' || pattern?.test(value) !== true) throw noSuchConnector();
  return value;
}

function noSuchConnector(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such connector' });
}

function toEntry({
  name,
  version,
  summary,
  createdAt,
}: Omit<StoredConnector, 'createdAt'> & { readonly createdAt: Date | null }): ConnectorEntry {
  const facts = parseOwnJson<ConnectorSummary>(summary);
  return { name, version, isBuiltIn: false, ...facts, createdAt: createdAt?.toISOString() ?? null };
}

function shown({ rows, count }: Awaited<ReturnType<typeof list>>) {
  return { rows: rows.map(toEntry), count };
}

async function listBuiltIn({ builtIn }: ResourceContext['connectors']): Promise<ConnectorEntry[]> {
  const packs = await builtIn.list();
  return packs.map((pack) => ({
    ...{ name: pack.name, version: pack.version, isBuiltIn: true },
    ...connectorSummary(pack, pack.operations.length),
    createdAt: null,
  }));
}

/** Returns a page of what a workspace has, whose rows the store has paged, and of what is built in, which follows. */
function toPage<T>(
  { limit, offset, includeTotal }: Page,
  own: { readonly rows: readonly T[]; readonly count: number },
  builtIn: readonly T[],
): PageOf<T> {
  const from = Math.max(0, offset - own.count);
  const data = [...own.rows, ...builtIn.slice(from, from + limit - own.rows.length)];
  const total = own.count + builtIn.length;
  const page = { data, limit, offset, hasMore: offset + limit < total };
  return includeTotal ? { ...page, total } : page;
}
