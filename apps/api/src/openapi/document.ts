import { EXECUTE_SCOPE } from '@deckhand/contracts';
import type { TSchema } from 'typebox';
import type { NeededScope } from '../auth/authenticate.ts';
import { API_VERSION } from '../http/respond.ts';
import type { Deprecation } from '../http/deprecation.ts';
import type { Operation, Route } from '../http/route.ts';
import { Components, type Part } from './components.ts';
import { parametersOf } from './parameters.ts';
import { errorsOf, JSON_TYPE, successesOf } from './responses.ts';
import examples from './examples.json' with { type: 'json' };

/** Examples of requests and of responses, by status: JSON bodies. */
interface Example {
  readonly request?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** Examples by the name of their operation, recorded from real responses: see CONTRIBUTING.md. */
const EXAMPLES: Readonly<Record<string, Example | undefined>> = examples;

/** An operation with its id, from which clients generate names. */
export type NamedRoute = Route & { readonly id: string };

/** Descriptions of the parts of the API, by the first word of their paths. */
const TAGS: Readonly<Record<string, string>> = {
  admin: 'Settings, limits and the audit log of the whole instance, for its administrators',
  ai: 'Usage of language models by nodes',
  'api-keys': 'API keys of the signed-in person',
  approvals: 'Decisions that runs wait for',
  'audit-log': 'Changes in a workspace, with the people who made them',
  auth: 'Signing in, sessions and passwords',
  'bulk-actions': 'Stopping, rerunning and deleting many runs',
  connectors: 'Services whose operations nodes call',
  credentials: 'Secrets that nodes use',
  'event-endpoints': 'URLs that receive signed events of a workspace, and the log of what was sent',
  events: 'Events that start workflows and wake runs',
  executions: 'Reading, stopping, pausing and rerunning runs',
  'failure-groups': 'Runs that failed alike',
  folders: 'Folders of workflows',
  health: 'For probes and monitoring',
  'human-tasks': 'Forms that runs wait for',
  insights: 'Runs by day and workflow, over long periods',
  me: 'The caller of a request',
  monitoring: 'Workers, the queue and statistics of runs',
  'node-types': 'Types of nodes',
  schedules: 'Schedules of active workflows',
  users: 'People with an account, for administrators of the instance',
  variables: 'Values that all workflows of a workspace can read',
  workflows: 'Workflows, their versions and webhooks, and starting runs of them',
  workspaces: 'Workspaces, their members and invites',
};

/**
 * Returns the OpenAPI 3.1 document of the operations, created from the schemas that validate requests. Schemas that
 * contracts exports have the same name in `components`. @param serverUrl the address that callers use.
 */
export function createOpenApiDocument(routes: readonly NamedRoute[], serverUrl: string): object {
  const components = new Components(routes.map(({ operation }) => operation));
  const conditional = new Set(routes.filter(({ operation }) => operation.takesIfMatch).map(({ path }) => path));
  const paths: Record<string, Part> = {};
  for (const route of routes) {
    const path = toTemplate(route.path);
    (paths[path] ??= {})[route.method.toLowerCase()] = describe(route, components, conditional.has(route.path));
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deckhand',
      version: API_VERSION,
      description:
        'Run workflows and follow their runs. Every error has a stable `code`; retry 429 after `Retry-After`, 500 and 503 with a growing delay.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      schemas: components.schemas(),
      responses: components.responses(),
      headers: components.headers(),
      examples: components.examples(),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'http', scheme: 'bearer', description: 'The token of a signed-in person' },
      },
    },
  };
}

function describeScope({ scope, startsRuns = false, also }: NeededScope): string {
  if (scope === 'me:read') return 'A key needs any scope at all.';
  const other = startsRuns ? ` or \`${EXECUTE_SCOPE}\`, which may end in \`:\` and the workflow's id` : '';
  if (also !== undefined) return `A key needs the scopes \`${scope}\` and \`${also}\`.`;
  return `A key needs the scope \`${scope}\`${other}.`;
}

function describeEnd({ since, sunset, successor }: Deprecation): string {
  const instead = successor === undefined ? '' : `: use \`${toTemplate(successor)}\``;
  return `Deprecated since ${since}, ends on ${sunset}${instead}.`;
}

/** Converts the parameters of a path to OpenAPI's notation. */
function toTemplate(path: string): string {
  return path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}

function describe(route: NamedRoute, components: Components, hasETag: boolean): Part {
  const { operation } = route;
  const { deprecated } = operation;
  const example = EXAMPLES[route.id];
  const needed = route.access === 'key' ? route.needed : undefined;
  const description = [
    operation.description,
    ...(needed ? [describeScope(needed)] : []),
    ...(deprecated ? [describeEnd(deprecated)] : []),
  ].join(' ');
  return {
    operationId: route.id,
    tags: [tagOf(route)],
    summary: operation.summary,
    description,
    ...(needed && { 'x-required-scope': needed.scope }),
    ...(deprecated && { deprecated: true, 'x-sunset': deprecated.sunset }),
    security: securityOf(route),
    parameters: parametersOf(route, components),
    ...(operation.body && { requestBody: bodyOf(operation, operation.body, components, example) }),
    ...(operation.takesBytes && { requestBody: { required: true, content: { 'application/octet-stream': {} } } }),
    responses: {
      ...successesOf(route, components, { hasETag, examples: example?.responses }),
      ...errorsOf(route, components),
    },
  };
}

function tagOf({ path }: Route): string {
  const [, first, second] = path.split('/');
  return first === 'api' ? (second ?? 'api') : 'health';
}

function securityOf({ access }: Route): Part[] {
  if (access === 'open') return [];
  return access === 'session' ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }];
}

function bodyOf(
  { isBodyOptional = false }: Operation,
  schema: TSchema,
  components: Components,
  example: Example | undefined,
): Part {
  const sample = example?.request === undefined ? {} : { example: example.request };
  return { required: !isBodyOptional, content: { [JSON_TYPE]: { schema: components.refer(schema), ...sample } } };
}
