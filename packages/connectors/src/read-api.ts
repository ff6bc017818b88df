import { isJsonObject, type JsonObject } from '@deckhand/contracts';
import { cut } from './convert-schema.ts';
import { createReferences, DocumentError, type References } from './document.ts';
import type { Operation, SecurityScheme } from './operation.ts';
import { type FoundOperation, readOperation, titleOf } from './read-operation.ts';
import { scalarText } from './serialize.ts';
import { fromSwagger2 } from './swagger2.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
/** Maximum number of operations of a document. */
const MAX_OPERATIONS = 50_000;
const MAX_TITLE = 100;
const MAX_SCOPES = 500;

/** What a list of operations shows of each. */
export interface OperationSummary {
  /** Its `operationId`, or its method and path. Unique in its document. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
}

/** What an OpenAPI document describes. */
export interface Api {
  readonly title: string;
  readonly version: string;
  /** How requests are authorized, by name. */
  readonly security: Readonly<Record<string, SecurityScheme>>;
  /** The operations in the order of the document. None of them is read yet. */
  readonly operations: readonly OperationSummary[];
  /** Reads an operation; undefined if the document has none with this id. */
  read(id: string): Operation | undefined;
}

/**
 * Reads a parsed document of OpenAPI 3 or Swagger 2. References that lead out of it are not followed: what they
 * describe may have any value.
 * @throws DocumentError for another kind of document, and for one without or with too many operations.
 */
export function readApi(document: JsonObject): Api {
  const isSwagger2 = document.swagger === '2.0' || document.swagger === 2;
  const isOpenApi3 = typeof document.openapi === 'string' && /^3\.[01]\b/.test(document.openapi);
  if (!isSwagger2 && !isOpenApi3) throw new DocumentError('is not a document of OpenAPI 3.0, 3.1 or Swagger 2.0');
  const references = createReferences(document);
  const found = findOperations(document, references);
  const info = isJsonObject(document.info) ? document.info : {};
  const components = isJsonObject(document.components) ? document.components : {};
  const schemes = isSwagger2 ? document.securityDefinitions : components.securitySchemes;
  return {
    title: cut(scalarText(info.title ?? null), MAX_TITLE),
    version: cut(scalarText(info.version ?? null), MAX_TITLE),
    security: Object.fromEntries(
      Object.entries(isJsonObject(schemes) ? schemes : {}).map(([name, scheme]) => [
        name,
        toSecurityScheme(references.resolve(scheme) ?? {}),
      ]),
    ),
    operations: Array.from(found, ([id, { method, path, operation }]) => ({
      id,
      method,
      path,
      title: titleOf(operation, id),
    })),
    read(id) {
      const each = found.get(id);
      if (!each) return undefined;
      return readOperation(document, id, isSwagger2 ? fromSwagger2(document, each, references) : each, references);
    },
  };
}

/** Finds the operations, by id. */
function findOperations(document: JsonObject, references: References): Map<string, FoundOperation> {
  const paths = isJsonObject(document.paths) ? document.paths : {};
  const found = new Map<string, FoundOperation>();
  for (const [path, value] of Object.entries(paths)) {
    const shared = path.startsWith('/') ? references.resolve(value) : undefined;
    for (const method of shared ? METHODS : []) {
      const operation = shared?.[method];
      if (!shared || !isJsonObject(operation)) continue;
      const each = { method: method.toUpperCase(), path, operation, shared };
      const { operationId } = operation;
      const isUsable = typeof operationId === 'string' && /^.{1,200}$/.test(operationId) && !found.has(operationId);
      found.set(isUsable ? operationId : `${each.method} ${path}`, each);
    }
    if (found.size > MAX_OPERATIONS)
      throw new DocumentError(`has more than ${MAX_OPERATIONS.toLocaleString('en')} operations`);
  }
  if (found.size === 0) throw new DocumentError('has no operations');
  return found;
}

/** Converts a scheme of OpenAPI 3 or Swagger 2. */
function toSecurityScheme(scheme: JsonObject): SecurityScheme {
  switch (scheme.type) {
    case 'apiKey':
      if (typeof scheme.name !== 'string') return { type: 'other' };
      if (scheme.in !== 'header' && scheme.in !== 'query' && scheme.in !== 'cookie') return { type: 'other' };
      return { type: 'apiKey', in: scheme.in, name: scheme.name };
    case 'basic':
      return { type: 'basic' };
    case 'http':
      return { type: HTTP_SCHEMES.get(scalarText(scheme.scheme ?? null).toLowerCase()) ?? 'other' };
    case 'oauth2':
      return toOAuth2(scheme);
    default:
      return { type: 'other' };
  }
}

const HTTP_SCHEMES: ReadonlyMap<string, 'basic' | 'bearer'> = new Map([
  ['basic', 'basic'],
  ['bearer', 'bearer'],
]);

/** The flows of OpenAPI 3, the best one first; Swagger 2 has a single one in the scheme itself. */
const FLOWS = ['authorizationCode', 'clientCredentials', 'password', 'implicit'];

function toOAuth2(scheme: JsonObject): SecurityScheme {
  const { flows } = scheme;
  const flow = isJsonObject(flows) ? FLOWS.map((name) => flows[name]).find(isJsonObject) : scheme;
  const { authorizationUrl, tokenUrl, scopes }: JsonObject = flow ?? {};
  return {
    type: 'oauth2',
    ...(typeof authorizationUrl === 'string' && { authorizationUrl }),
    ...(typeof tokenUrl === 'string' && { tokenUrl }),
    scopes: isJsonObject(scopes) ? Object.keys(scopes).slice(0, MAX_SCOPES) : [],
  };
}
