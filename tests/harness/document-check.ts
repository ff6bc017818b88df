import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The parts of a response that a document describes. */
export interface DocumentedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
  readonly text: string;
}

/** Checks responses against the OpenAPI document. */
export interface ResponseCheck {
  /** @throws when the document does not describe the response. */
  check(method: string, path: string, answer: DocumentedAnswer): void;
  /** The path of the document that a request's path is one of: `/api/x/{id}`; undefined where it has none. */
  templateOf(path: string): string | undefined;
  /** The issues of a request's body by its schema; undefined where there are none. */
  issuesOfRequest(method: string, template: string, body: unknown): string | undefined;
  /** The issues of a response's body by its schema, members that it does not name included. */
  issuesOfResponse(method: string, template: string, status: string, type: string, body: unknown): string | undefined;
  /** Operations with a successful response so far: `GET /api/x/{id}`. */
  readonly succeeded: ReadonlySet<string>;
}

interface DocumentedResponse {
  readonly $ref?: string;
  readonly content?: Record<string, unknown>;
}

interface Documented {
  readonly paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse> }>>;
  readonly components: { readonly responses: Record<string, DocumentedResponse> };
}

/** Every member of a response must be in the document, so objects of the document are closed here. */
function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (typeof part !== 'object' || part === null) return part;
  const closed = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, close(value)]));
  const isObject = 'type' in part && part.type === 'object' && 'properties' in part;
  return isObject ? { ...closed, additionalProperties: false } : closed;
}

/** Creates the check for an OpenAPI document. */
export function createDocumentCheck(given: object): ResponseCheck {
  const document = close(given) as Documented;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv, ['uuid', 'date-time', 'date', 'email', 'uri']);
  ajv.addSchema(document, 'document');
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`, 'i'),
  }));
  const succeeded = new Set<string>();

  function schemaOf(keys: readonly string[]) {
    const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    return ajv.getSchema(`document#/${pointer}`);
  }

  function issuesOf(keys: readonly string[], body: unknown): string | undefined {
    const validate = schemaOf(keys);
    return validate?.(body) ? undefined : ajv.errorsText(validate?.errors);
  }

  function templateOf(target: string): string | undefined {
    const path = target.split('?')[0] ?? '';
    return templates.find(({ pattern }) => pattern.test(path))?.template;
  }

  function issuesOfResponse(method: string, template: string, status: string, type: string, body: unknown) {
    const path = ['paths', template, method.toLowerCase(), 'responses', status];
    const shared = document.paths[template]?.[method.toLowerCase()]?.responses[status]?.$ref?.split('/').slice(1);
    return issuesOf([...(shared ?? path), 'content', type, 'schema'], body);
  }

  return {
    succeeded,
    templateOf,
    issuesOfResponse,
    issuesOfRequest: (method, template, body) =>
      issuesOf(['paths', template, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'], body),
    check(method, target, { status, type, body, text }) {
      const template = templateOf(target);
      if (template === undefined) return;
      const verb = method.toLowerCase();
      const operation = document.paths[template]?.[verb];
      // Another method is a 405 everywhere; what Express cannot decode is a 404 everywhere.
      if (operation === undefined || (status === 404 && !template.includes('{'))) return;
      const name = `${method} ${template}`;
      const given = operation.responses[status];
      const answer =
        given?.$ref === undefined ? given : document.components.responses[given.$ref.split('/').at(-1) ?? ''];
      if (answer === undefined)
        throw new Error(`${name} answered ${status}, which its document does not have: ${text}`);
      if (status < 400) succeeded.add(name);
      if (answer.content === undefined) {
        if (text !== '') throw new Error(`${name} answered ${status} with a body`);
        return;
      }
      if (!(type in answer.content)) throw new Error(`${name} answered ${status} as ${type}`);
      if (type !== 'application/json') return;
      const issues = issuesOfResponse(verb, template, String(status), type, body);
      if (issues !== undefined) {
        throw new Error(`${name} answered ${status} against its document: ${issues} in ${text.slice(0, 2_000)}`);
      }
    },
  };
}
