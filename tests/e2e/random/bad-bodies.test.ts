import { listRoutes } from '@deckhand/api';
import {
  AcceptInviteBody,
  ApproveDeviceBody,
  AddMemberBody,
  AddPasskeyBody,
  ApplyWorkflowBody,
  ChangePasswordBody,
  ChangeWebhookUrlBody,
  compileCheck,
  CompleteHumanBody,
  ConfirmAuthenticatorBody,
  ConfirmBody,
  CreateApiKeyBody,
  CreateConnectorBody,
  CreateCredentialBody,
  CreateEventEndpointBody,
  CreateFolderBody,
  CreateInviteBody,
  CreateVariableBody,
  CreateWorkflowBody,
  CreateWorkspaceBody,
  CREDENTIAL_SECRETS,
  DuplicateWorkflowBody,
  ExecuteBatchItem,
  ExecuteBody,
  FileLinkBody,
  FinishConnectionBody,
  FinishSignInBody,
  FinishSignOnBody,
  InstanceSettings,
  ModelPricesBody,
  ImportN8nBody,
  ListChoicesBody,
  LoginBody,
  PollConnectionBody,
  ReplayEventsBody,
  RerunBody,
  RotateApiKeyBody,
  RotateEventSecretBody,
  SaveDraftBody,
  SaveVersionBody,
  SendEventBody,
  SetupBody,
  CreateBulkActionBody,
  StopManyBody,
  SubmitApprovalBody,
  UpdateCredentialBody,
  UpdateExecutionBody,
  UpdateEventEndpointBody,
  UpdateFailureGroupBody,
  UpdateFolderBody,
  UpdateMemberBody,
  UpdateVariableBody,
  UpdateWorkflowBody,
  UpdateWorkspaceBody,
  WorkspaceLimitsBody,
  parseOwnJson,
  RedeemDeviceBody,
  RedeemPasswordResetBody,
  RequestPasswordResetBody,
  StartDeviceBody,
  StartSignOnBody,
  TestCredentialBody,
} from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import Type, { type TObject } from 'typebox';
import { createAuthenticator } from '../../harness/authenticator.ts';
import {
  badBodies,
  type BadBody,
  buildWorld,
  digestTables,
  type Instance,
  OWNER,
  SETUP,
  startInstance,
  runs,
  stopAll,
  type World,
  WORLD_DEFINITION,
  WORLD_FORM,
  type ErrorMembers,
} from '../../harness/index.ts';

/** Number of bad bodies that each operation gets. */
const BODIES = runs(30, 120);

/** The body of an operation. The examples are valid and together have every member. Ids are those of `world`. */
interface Operation {
  readonly schema: TObject;
  readonly examples: readonly object[];
  /** Whether an empty body is accepted. */
  readonly isOptional?: boolean;
  /** Whether the body is a list of these, whose items have results of their own. */
  readonly isItem?: boolean;
  /** The value of `:id` in the path, if there is one. */
  readonly id?: string;
  readonly userId?: string;
  readonly nodeId?: string;
  readonly deliveryId?: string;
  readonly fileId?: string;
}

let instance: Instance;
let operations: Record<string, Operation>;
let sent = 0;

beforeAll(async () => {
  instance = await startInstance();
  operations = describeOperations(await buildWorld(instance));
});
afterAll(() => {
  process.stdout.write(`bad bodies: ${sent} sent, all refused\n`);
  return stopAll();
});

const NOTHING: Pick<Operation, 'schema' | 'examples' | 'isOptional'> = {
  schema: Type.Object({}, { additionalProperties: false }),
  examples: [{}],
  isOptional: true,
};

/** Every operation that takes a body. */
function describeOperations(world: World): Record<string, Operation> {
  const { workspaceId, workflowId, versionId, ran, pending, folder, variable, credential, oauth, bulkAction, member } =
    world;
  const { endpoint, failureGroup } = world;
  const [url, signature] = ['https://example.com/events', 'v1a'];
  const { email, password, name } = OWNER;
  const basic = { username: 'v', password: 'w' };
  const limits = {
    visibility: 'shared',
    allowedHosts: ['a.example'],
    allowedWorkflowIds: [workflowId],
    rateLimit: { requests: 10, per: 'second', burst: 5, maxWaitSeconds: 60 },
    circuit: {
      ...{ failuresInRow: 5, failurePercent: 50, windowSeconds: 60, minRequests: 10 },
      ...{ openSeconds: 30, probes: 1 },
    },
  };
  const inFolder = { name: 'N', description: 'D', folderId: folder.id };
  const span = { gte: '2026-01-01T00:00:00Z', lte: '2036-01-01T00:00:00Z' };
  return {
    'POST /api/auth/setup': { schema: SetupBody, examples: [SETUP] },
    'POST /api/auth/login': { schema: LoginBody, examples: [{ email, password }] },
    'POST /api/auth/login/passkey': NOTHING,
    'POST /api/auth/login/second-factor': {
      schema: FinishSignInBody,
      examples: [
        { state: 'a'.repeat(43), code: '000000' },
        { state: 'a'.repeat(43), recoveryCode: 'k3mw-07dz-9qpx-t1ca' },
        { state: 'a'.repeat(43), passkey: createAuthenticator().get('challenge') },
      ],
    },
    'POST /api/auth/authenticator': NOTHING,
    'POST /api/auth/authenticator/confirm': { schema: ConfirmAuthenticatorBody, examples: [{ code: '000000' }] },
    'POST /api/auth/passkeys/options': NOTHING,
    'POST /api/auth/passkeys': {
      schema: AddPasskeyBody,
      examples: [{ state: 'a'.repeat(43), name, passkey: createAuthenticator().create('challenge') }],
    },
    'POST /api/auth/recovery-codes': NOTHING,
    'POST /api/auth/confirm/options': NOTHING,
    'POST /api/auth/confirm': {
      schema: ConfirmBody,
      examples: [
        { password },
        { code: '000000' },
        { recoveryCode: 'k3mw-07dz-9qpx-t1ca' },
        { state: 'a'.repeat(43), passkey: createAuthenticator().get('challenge') },
      ],
    },
    'POST /api/auth/logout': NOTHING,
    'POST /api/auth/password': {
      schema: ChangePasswordBody,
      examples: [{ currentPassword: password, newPassword: 'another password' }],
    },
    'POST /api/auth/devices': {
      schema: StartDeviceBody,
      examples: [{ name: 'laptop', codeChallenge: 'a'.repeat(43) }],
    },
    'POST /api/auth/devices/:id/approve': {
      schema: ApproveDeviceBody,
      examples: [{ workspaceId, password }],
      id: workspaceId,
    },
    'POST /api/auth/devices/:id/key': {
      schema: RedeemDeviceBody,
      examples: [{ codeVerifier: 'a'.repeat(43) }],
      id: workspaceId,
    },
    'POST /api/auth/sso/start': { schema: StartSignOnBody, examples: [{ next: '/w' }], isOptional: true },
    'POST /api/auth/sso/finish': { schema: FinishSignOnBody, examples: [{ parameters: 'code=a&state=b' }] },
    'POST /api/auth/sso/logout': NOTHING,
    'POST /api/auth/password-resets': { schema: RequestPasswordResetBody, examples: [{ email }] },
    'POST /api/auth/password-resets/redeem': {
      schema: RedeemPasswordResetBody,
      examples: [{ token: 'a token', newPassword: 'another password' }],
    },
    'POST /api/users/:id/deactivate': { ...NOTHING, id: world.leaver.userId },
    'POST /api/users/:id/activate': { ...NOTHING, id: world.leaver.userId },
    'POST /api/auth/accept-invite': {
      schema: AcceptInviteBody,
      examples: [{ token: world.invite.token, email: 'new@test.local', name, password }],
    },
    'POST /api/api-keys': {
      schema: CreateApiKeyBody,
      examples: [
        { name, password, saveAsCredential: true, preset: 'full', expiresAt: span.lte, workspaceId },
        { name, password, scopes: ['workflows:read', '*'], credentialWorkspaceId: workspaceId },
      ],
    },
    'POST /api/api-keys/:id/rotate': {
      schema: RotateApiKeyBody,
      id: world.keyId,
      examples: [{ password, overlapSeconds: 60, expiresAt: span.lte }],
    },
    'POST /api/api-keys/:id/revoke': { ...NOTHING, id: world.keyId },
    'POST /api/workspaces': { schema: CreateWorkspaceBody, examples: [{ name }] },
    'PATCH /api/workspaces/:id': {
      schema: UpdateWorkspaceBody,
      examples: [{ name, errorWorkflowId: workflowId }],
      id: workspaceId,
    },
    'POST /api/workspaces/:id/callback-secrets/rotate': {
      schema: RotateEventSecretBody,
      examples: [{ overlapSeconds: 60, signature }],
      isOptional: true,
      id: workspaceId,
    },
    'POST /api/workspaces/:id/members': {
      schema: AddMemberBody,
      examples: [{ email: world.stranger.email, role: 'viewer' }],
      id: workspaceId,
    },
    'PATCH /api/workspaces/:id/members/:userId': {
      schema: UpdateMemberBody,
      examples: [{ role: 'admin' }],
      id: workspaceId,
      userId: member.userId,
    },
    'POST /api/workspaces/:id/invites': {
      schema: CreateInviteBody,
      examples: [{ email: 'new@test.local', role: 'viewer' }],
      id: workspaceId,
    },
    'POST /api/workflows': {
      schema: CreateWorkflowBody,
      examples: [{ workspaceId, slug: 'created', ...inFolder, definition: WORLD_DEFINITION }],
    },
    'POST /api/workflows/apply': {
      schema: ApplyWorkflowBody,
      examples: [
        {
          workspaceId,
          slug: 'applied',
          ...inFolder,
          status: 'active',
          errorWorkflowId: workflowId,
          managed: true,
          definition: WORLD_DEFINITION,
          comment: 'C',
        },
      ],
    },
    'PATCH /api/workflows/:id': {
      schema: UpdateWorkflowBody,
      examples: [
        {
          ...inFolder,
          status: 'active',
          activeVersionId: versionId,
          errorWorkflowId: workflowId,
          slug: 'orders',
          managed: false,
        },
      ],
      id: workflowId,
    },
    'POST /api/workflows/import/n8n': {
      schema: ImportN8nBody,
      examples: [{ workspaceId, folderId: folder.id, name: 'N', workflow: { nodes: [] } }],
    },
    'POST /api/workflows/:id/duplicate': {
      schema: DuplicateWorkflowBody,
      examples: [{ name: 'N', workspaceId, folderId: folder.id, versionId }],
      isOptional: true,
      id: workflowId,
    },
    'POST /api/workflows/:id/versions': {
      schema: SaveVersionBody,
      examples: [{ definition: WORLD_DEFINITION, comment: 'C', baseVersionId: versionId }],
      id: workflowId,
    },
    'PUT /api/workflows/:id/draft': {
      schema: SaveDraftBody,
      examples: [{ definition: WORLD_DEFINITION, baseVersionId: versionId }],
      id: workflowId,
    },
    'POST /api/workflows/:id/webhooks/:nodeId/url': {
      schema: ChangeWebhookUrlBody,
      examples: [{ path: 'orders-of-today' }],
      isOptional: true,
      id: workflowId,
      nodeId: 'hook',
    },
    'POST /api/workflows/:id/webhooks/:nodeId/test': { ...NOTHING, id: workflowId, nodeId: 'hook' },
    'POST /api/workflows/:id/schedules/:nodeId/pause': { ...NOTHING, id: workflowId, nodeId: 'hook' },
    'POST /api/workflows/:id/schedules/:nodeId/resume': { ...NOTHING, id: workflowId, nodeId: 'hook' },
    'POST /api/workflows/:id/deliveries/:deliveryId/replay': { ...NOTHING, id: workflowId, deliveryId: workflowId },
    'POST /api/connectors': {
      schema: CreateConnectorBody,
      examples: [{ workspaceId, document: '{}', pack: '{}', name: 'n', version: '1.0.0' }],
    },
    'POST /api/connectors/options': {
      schema: ListChoicesBody,
      examples: [
        {
          ...{ workspaceId, connector: 'n', version: '1.0.0', operation: 'issue.get', field: 'path.id' },
          ...{ credentialId: credential.id, workflowId, values: {}, search: 'a', cursor: 'a' },
        },
      ],
    },
    'POST /api/variables': { schema: CreateVariableBody, examples: [{ workspaceId, name: 'n', value: 'v' }] },
    'PATCH /api/variables/:id': { schema: UpdateVariableBody, examples: [{ name: 'n', value: 'v' }], id: variable.id },
    'POST /api/credentials': {
      schema: Type.Object(
        { ...CreateCredentialBody.properties, secret: CREDENTIAL_SECRETS.basic },
        { additionalProperties: false },
      ),
      examples: [{ workspaceId, name, type: 'basic', secret: basic, ...limits }],
    },
    'PATCH /api/credentials/:id': {
      schema: Type.Object(
        { ...UpdateCredentialBody.properties, secret: Type.Optional(CREDENTIAL_SECRETS.basic) },
        { additionalProperties: false },
      ),
      examples: [{ name, secret: basic, ...limits }],
      id: credential.id,
    },
    'POST /api/credentials/:id/test': {
      schema: TestCredentialBody,
      examples: [{ url: 'http://127.0.0.1:1' }, { connector: 'n', version: '1.0.0' }],
      id: credential.id,
    },
    'POST /api/credentials/:id/connect': { ...NOTHING, id: oauth.id },
    'POST /api/credentials/:id/connect/poll': {
      schema: PollConnectionBody,
      examples: [{ attempt: name }],
      id: oauth.id,
    },
    'POST /api/credentials/callback': { schema: FinishConnectionBody, examples: [{ parameters: name }] },
    'POST /api/events': {
      schema: SendEventBody,
      examples: [{ workspaceId, name: 'order.paid', key: 'A-1', data: { amount: 1 }, id: 'evt-1' }],
    },
    'POST /api/event-endpoints': {
      schema: CreateEventEndpointBody,
      examples: [
        {
          workspaceId,
          url,
          description: name,
          eventTypes: ['run.failed'],
          workflowIds: [workflowId],
          tags: ['a'],
          signature,
        },
      ],
    },
    'PATCH /api/event-endpoints/:id': {
      schema: UpdateEventEndpointBody,
      examples: [{ url, description: name, eventTypes: null, workflowIds: null, tags: null, enabled: true }],
      id: endpoint.id,
    },
    'POST /api/event-endpoints/:id/rotate-secret': {
      schema: RotateEventSecretBody,
      examples: [{ overlapSeconds: 60, signature }],
      isOptional: true,
      id: endpoint.id,
    },
    'POST /api/event-endpoints/:id/test': { ...NOTHING, id: endpoint.id },
    'POST /api/event-endpoints/:id/deliveries/:deliveryId/replay': {
      ...NOTHING,
      id: endpoint.id,
      deliveryId: workflowId,
    },
    'POST /api/event-endpoints/:id/replay': {
      schema: ReplayEventsBody,
      examples: [{ since: '2026-01-01', until: '2026-01-02', status: 'all' }],
      id: endpoint.id,
    },
    'POST /api/folders': { schema: CreateFolderBody, examples: [{ workspaceId, name, parentId: folder.id }] },
    'PATCH /api/folders/:id': { schema: UpdateFolderBody, examples: [{ name, parentId: null }], id: folder.id },
    'POST /api/workflows/:id/execute': {
      schema: ExecuteBody,
      examples: [
        {
          input: { a: 1 },
          triggerNodeId: 'start',
          executionMode: 'test',
          version: 'latest',
          untilNodeId: 'start',
          mocks: {},
          ...LATER,
        },
        { ...SOON, callbackUrl: url },
        JOINED,
      ],
      isOptional: true,
      id: workflowId,
    },
    'POST /api/workflows/:id/execute/batch': {
      schema: ExecuteBatchItem,
      examples: [
        {
          input: { a: 1 },
          triggerNodeId: 'start',
          executionMode: 'test',
          version: 'latest',
          idempotencyKey: 'a',
          ...LATER,
        },
        { ...SOON, callbackUrl: url },
        JOINED,
      ],
      isOptional: true,
      isItem: true,
      id: workflowId,
    },
    'PATCH /api/executions/:id': {
      schema: UpdateExecutionBody,
      examples: [{ tags: ['a'], metadata: { customer: 42 } }],
      id: ran.finished,
    },
    'POST /api/executions/stop': {
      schema: StopManyBody,
      examples: [
        { workspaceId, all: true, status: 'pending', workflowId, startedAt: span, search: 'x', errorContains: 'y' },
        { workspaceId, status: ['paused'], executionMode: 'test', source: ['api'], workflowName: 'W' },
        {
          workspaceId,
          rerunOf: ran.finished,
          parentExecutionId: ran.finished,
          tag: ['a'],
          metadata: { customer: '42' },
          minDurationMs: 1,
          maxDurationMs: 2,
        },
      ],
    },
    'POST /api/bulk-actions': {
      schema: CreateBulkActionBody,
      examples: [
        { workspaceId, action: 'stop', filter: { status: ['paused'], startedAt: span, search: 'x' }, ratePerSecond: 5 },
        { workspaceId, action: 'rerun', executionIds: [ran.finished], version: 'original', from: 'failedNode' },
        { workspaceId, action: 'delete', filter: {}, all: true },
      ],
    },
    'PATCH /api/failure-groups/:id': {
      schema: UpdateFailureGroupBody,
      examples: [{ state: 'ignored' }],
      id: failureGroup.id,
    },
    'POST /api/bulk-actions/:id/abort': { ...NOTHING, id: bulkAction.id },
    'POST /api/executions/:id/stop': { ...NOTHING, id: pending },
    'POST /api/executions/:id/pause': { ...NOTHING, id: pending },
    'POST /api/executions/:id/callbacks/:deliveryId/replay': { ...NOTHING, id: ran.finished, deliveryId: workflowId },
    'POST /api/executions/:id/files/:fileId/link': {
      schema: FileLinkBody,
      examples: [{ expiresInSeconds: 60, name: 'a.pdf' }],
      id: ran.finished,
      fileId: world.fileId,
      isOptional: true,
    },
    'POST /api/executions/:id/redact': { ...NOTHING, id: ran.finished },
    'POST /api/executions/:id/resume': { ...NOTHING, id: ran.paused },
    'POST /api/executions/:id/rerun': {
      schema: RerunBody,
      examples: [
        {
          ...{ fromNodeId: 'start', untilNodeId: 'start', mocks: {}, executionMode: 'test', version: 'original' },
          ...{ iterations: 'all', ...LATER },
        },
        SOON,
      ],
      isOptional: true,
      id: ran.finished,
    },
    'POST /api/executions/:id/nodes/:nodeId/complete': {
      schema: Type.Object({ ...CompleteHumanBody.properties, data: WORLD_FORM }, { additionalProperties: false }),
      examples: [{ data: { count: 2 }, iteration: null, waitId: `${ran.fills}:form` }],
      id: ran.fills,
    },
    'PUT /api/admin/model-prices': {
      schema: ModelPricesBody,
      examples: [
        {
          prices: [
            {
              ...{ provider: 'openai', model: 'm', validFrom: '2026-11-01', source: 'A contract' },
              ...{ inputMicroUsd: 1, cachedInputMicroUsd: null, outputMicroUsd: 2 },
            },
          ],
        },
      ],
    },
    'PUT /api/admin/settings': {
      schema: InstanceSettings,
      examples: [
        { dataRetentionDays: 1, runRetentionDays: 2, defaultExecutionsPerMinute: 3, defaultStorageQuotaBytes: 4 },
      ],
    },
    'PUT /api/admin/workspaces/:id/limits': {
      schema: WorkspaceLimitsBody,
      examples: [
        {
          executionsPerMinute: 1_000,
          storageQuotaBytes: 1_000_000,
          maxConcurrentExecutions: 10,
          modelTokensPerMonth: 10,
          modelMicroUsdPerMonth: 10,
        },
      ],
      id: workspaceId,
    },
    'POST /api/approvals/submit': {
      schema: SubmitApprovalBody,
      examples: [
        { executionId: ran.asks, nodeId: 'ask', approved: true, comment: 'C', iteration: null },
        { executionId: ran.asks, nodeId: 'ask', decision: 'rejected', waitId: `${ran.asks}:ask` },
      ],
    },
  };
}

function writes(): string[] {
  return (
    listRoutes(instance.gateway.services)
      .filter(({ method, path }) => path.startsWith('/api/') && ['POST', 'PUT', 'PATCH'].includes(method))
      // Every body is a file.
      .filter(({ operation }) => operation.takesBytes !== true)
      .map(({ method, path }) => `${method} ${path}`)
  );
}

async function send(name: string, operation: Operation, bad: BadBody) {
  const { id = '', userId = '', nodeId = 'form', deliveryId = '', fileId = '', isItem = false } = operation;
  const [method = '', pattern = ''] = name.split(' ');
  const path = pattern
    .replace(':id', id)
    .replace(':userId', userId)
    .replace(':nodeId', nodeId)
    .replace(':deliveryId', deliveryId)
    .replace(':fileId', fileId);
  const isOpen =
    /^\/api\/auth\/(setup|login|accept-invite|sso\/(start|finish)|password-resets(\/redeem)?|devices(\/[^/]+\/key)?)$/.test(
      path,
    );
  const headers = { ...bad.headers, ...(isOpen ? {} : { authorization: `Bearer ${instance.session}` }) };
  sent += 1;
  const body = isItem ? Buffer.concat([Buffer.from('['), Buffer.from(bad.body ?? ''), Buffer.from(']')]) : bad.body;
  const answer = await fetch(`${instance.gateway.url}${path}`, { method, headers, body: body ?? null });
  const text = await answer.text();
  if (isItem && answer.status === 200) {
    const [item] = parseOwnJson<{ items: (ErrorMembers & { status: number })[] }>(text).items;
    return { status: item?.status ?? NaN, text, body: item ?? null };
  }
  return { status: answer.status, text, body: parseOwnJson<ErrorMembers | null>(text === '' ? 'null' : text) };
}

const REFUSALS: Readonly<Record<string, number>> = {
  VALIDATION_FAILED: 400,
  INVALID_JSON: 400,
  UNSUPPORTED_MEDIA_TYPE: 415,
  PAYLOAD_TOO_LARGE: 413,
};

/** Options of a start, which exclude each other. */
const LATER = {
  tags: ['a'],
  metadata: { customer: 42 },
  timeoutSeconds: 60,
  startAt: '2030-01-01T00:00:00.000Z',
  expiresAt: '2030-01-02T00:00:00.000Z',
  concurrency: { key: 'customer-42', limit: 2, onLimit: 'queue' },
};
const SOON = { delay: 60, expiresAfter: 60, priority: 1 };
const JOINED = { debounce: { key: 'customer-42', delay: 60, maxDelay: 600, mode: 'trailing' } };

describe('every operation that takes a body', () => {
  it('is in the table below, with valid examples', () => {
    expect(Object.keys(operations).sort()).toEqual(writes().sort());
    for (const [name, { schema, examples }] of Object.entries(operations)) {
      const check = compileCheck(schema);
      for (const example of examples) expect({ name, ...check(example) }).toEqual({ name, value: example });
      const given = new Set(examples.flatMap((example) => Object.keys(example)));
      expect({ name, members: [...given].sort() }).toEqual({ name, members: Object.keys(schema.properties).sort() });
    }
  });

  it('refuses a bad body, says which member is at fault, and changes nothing', async () => {
    const before = await digestTables(instance.db);
    for (const [name, operation] of Object.entries(operations)) {
      const { schema, examples, isOptional = false } = operation;
      const property = fc.asyncProperty(badBodies(schema, examples, isOptional), async (bad) => {
        const { status, text, body } = await send(name, operation, bad);
        if (REFUSALS[body?.code ?? ''] !== status) throw new Error(`${name}: ${status} ${text}`);
        if (bad.fields.length === 0) return;
        const paths = body?.details?.map(({ path }) => path.split(/[.[]/)[0]!) ?? [];
        // Endless nesting has no useful path.
        const isNamed = paths.some((path) => bad.fields.includes(path)) || text.includes('nested deeper');
        if (!isNamed) throw new Error(`${name}: ${text} names none of ${bad.fields.join(', ')}`);
      });
      await fc.assert(property, { numRuns: BODIES, endOnFailure: true });
      expect({ name, tables: await digestTables(instance.db) }).toEqual({ name, tables: before });
    }
  });

  it('refuses a body that is too long, unread', async () => {
    const before = await digestTables(instance.db);
    const long = {
      issues: [],
      fields: [],
      body: ' '.repeat(10 * 1_024 * 1_024 + 1),
      headers: { 'content-type': 'application/json' },
    };
    for (const [name, operation] of Object.entries(operations)) {
      const { status, body } = await send(name, operation, long);
      expect({ name, status, code: body!.code }).toEqual({ name, status: 413, code: 'PAYLOAD_TOO_LARGE' });
    }
    expect(await digestTables(instance.db)).toEqual(before);
  });
});
