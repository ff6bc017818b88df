import { listRoutes } from '@deckhand/api';
import { type Permission, type Role, roleMay, ROLES, SCOPE_RESOURCES } from '@deckhand/contracts';
import { writeAgentMemory } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addKey,
  addPerson,
  type ApiResponse,
  buildWorld,
  digestTables,
  type ErrorMembers,
  type Instance,
  startInstance,
  stopAll,
  type World,
  WORLD_DEFINITION,
} from '../../harness/index.ts';

/**
 * A valid request to an operation.
 *
 * `asks` says what it takes: a permission in the workspace, an administrator of the instance, the person whose key it
 * is, or only to be somebody, in which case the answer is about the caller and names nothing of others. `finds` says
 * how it gets to the workspace: `named` by its id, or through the id of what it holds, of which strangers are not told
 * that it exists.
 */
interface Request {
  readonly path: string;
  readonly body?: object;
  readonly asks: Permission | 'administrator' | 'its owner' | 'anybody';
  readonly finds?: 'named' | 'held';
}

/** Who calls. */
type CallerName = 'other workspace' | 'bound elsewhere' | 'removed member' | Role;

let instance: Instance;
let world: World;
let callers: Record<CallerName, string>;
let requests: Record<string, Request>;
let ownerId: string;

beforeAll(async () => {
  instance = await startInstance();
  world = await buildWorld(instance);
  requests = describeRequests(world);
  const { db } = instance;
  const memory = { workspaceId: world.workspaceId, key: 'a' };
  const writer = { executionId: world.ran.finished, place: 'agent/' };
  await writeAgentMemory(db, memory, writer, { prompt: 'Hello', answer: 'Hi' });
  ownerId = (await db.membership.findFirstOrThrow({ where: { role: 'owner' } })).userId;
  const [elsewhere, ofStranger] = [uuidv7(), uuidv7()];
  const owners = [
    [elsewhere, ownerId],
    [ofStranger, world.stranger.userId],
  ] as const;
  for (const [id, userId] of owners) {
    await db.workspace.create({ data: { id, name: 'Other' } });
    await db.membership.create({ data: { workspaceId: id, userId, role: 'owner' } });
  }
  const removed = await addPerson(instance, 'admin');
  const answer = await instance.gateway.call(
    'DELETE',
    `/api/workspaces/${world.workspaceId}/members/${removed.userId}`,
    { as: instance.session },
  );
  if (answer.status !== 204) throw new Error(answer.text);
  callers = {
    'other workspace': (await addKey(instance, world.stranger.userId)).key,
    'bound elsewhere': (await addKey(instance, ownerId, { workspaceId: elsewhere })).key,
    'removed member': removed.session,
    ...Object.fromEntries(
      await Promise.all(ROLES.map(async (role) => [role, (await addPerson(instance, role)).session])),
    ),
  };
});
afterAll(stopAll);

function describeRequests({ workspaceId, workflowId, versionId, ran, pending, ...held }: World) {
  const workspace = `/api/workspaces/${workspaceId}`;
  const workflow = `/api/workflows/${workflowId}`;
  const ofWorkspace = `?workspaceId=${workspaceId}`;
  const endpoint = `/api/event-endpoints/${held.endpoint.id}`;
  const connector = `/api/connectors/${held.connector.name}/versions`;
  const limits = { executionsPerMinute: 1_000, storageQuotaBytes: null, maxConcurrentExecutions: 10 };
  const settings = {
    dataRetentionDays: 1,
    runRetentionDays: 2,
    defaultExecutionsPerMinute: 3,
    defaultStorageQuotaBytes: 4,
  };
  return {
    'GET /api/me': { path: '/api/me', asks: 'anybody' },
    'GET /api/auth/me': { path: '/api/auth/me', asks: 'anybody' },
    'GET /api/auth/sessions': { path: '/api/auth/sessions', asks: 'anybody' },
    'GET /api/auth/second-factors': { path: '/api/auth/second-factors', asks: 'anybody' },
    'GET /api/api-keys': { path: '/api/api-keys', asks: 'anybody' },
    'GET /api/workspaces': { path: '/api/workspaces', asks: 'anybody' },
    'GET /api/schedules/times': { path: '/api/schedules/times?cron=0+9+*+*+1', asks: 'anybody' },
    'GET /api/node-types': { path: '/api/node-types', asks: 'anybody' },
    'GET /api/monitoring/fleet': { path: '/api/monitoring/fleet', asks: 'anybody' },
    'POST /api/api-keys/:id/rotate': {
      path: `/api/api-keys/${held.keyId}/rotate`,
      body: { password: 'a' },
      asks: 'its owner',
    },
    'POST /api/api-keys/:id/revoke': { path: `/api/api-keys/${held.keyId}/revoke`, asks: 'its owner' },

    'GET /api/workspaces/:id': { path: workspace, asks: 'workspace.see', finds: 'held' },
    'PATCH /api/workspaces/:id': { path: workspace, body: { name: 'N' }, asks: 'workspace.change', finds: 'held' },
    'DELETE /api/workspaces/:id': { path: workspace, asks: 'workspace.delete', finds: 'held' },
    'GET /api/workspaces/:id/callback-secrets': {
      path: `${workspace}/callback-secrets`,
      asks: 'events.manage',
      finds: 'held',
    },
    'POST /api/workspaces/:id/callback-secrets/rotate': {
      path: `${workspace}/callback-secrets/rotate`,
      asks: 'events.manage',
      finds: 'held',
    },
    'GET /api/workspaces/:id/usage': { path: `${workspace}/usage`, asks: 'workspace.read', finds: 'held' },
    'GET /api/workspaces/:id/members': { path: `${workspace}/members`, asks: 'workspace.read', finds: 'held' },
    'POST /api/workspaces/:id/members': {
      path: `${workspace}/members`,
      body: { email: held.stranger.email, role: 'viewer' },
      asks: 'members.manage',
      finds: 'held',
    },
    'PATCH /api/workspaces/:id/members/:userId': {
      path: `${workspace}/members/${held.member.userId}`,
      body: { role: 'admin' },
      asks: 'members.manage',
      finds: 'held',
    },
    'DELETE /api/workspaces/:id/members/:userId': {
      path: `${workspace}/members/${held.member.userId}`,
      asks: 'members.manage',
      finds: 'held',
    },
    'GET /api/workspaces/:id/invites': { path: `${workspace}/invites`, asks: 'members.manage', finds: 'held' },
    'POST /api/workspaces/:id/invites': {
      path: `${workspace}/invites`,
      body: { role: 'viewer' },
      asks: 'members.manage',
      finds: 'held',
    },
    'DELETE /api/workspaces/:id/invites/:inviteId': {
      path: `${workspace}/invites/${held.invite.id}`,
      asks: 'members.manage',
      finds: 'held',
    },

    'GET /api/workflows': { path: `/api/workflows${ofWorkspace}`, asks: 'workflows.read', finds: 'named' },
    'POST /api/workflows': {
      path: '/api/workflows',
      body: { workspaceId, name: 'N' },
      asks: 'workflows.edit',
      finds: 'named',
    },
    'POST /api/workflows/import/n8n': {
      path: '/api/workflows/import/n8n',
      body: { workspaceId, workflow: { nodes: [] } },
      asks: 'workflows.edit',
      finds: 'named',
    },
    'POST /api/workflows/apply': {
      path: '/api/workflows/apply',
      body: { workspaceId, slug: 'n', name: 'N' },
      asks: 'workflows.edit',
      finds: 'named',
    },
    'GET /api/workflows/:id': { path: workflow, asks: 'workflows.read', finds: 'held' },
    'PATCH /api/workflows/:id': { path: workflow, body: { name: 'N' }, asks: 'workflows.edit', finds: 'held' },
    'DELETE /api/workflows/:id': { path: workflow, asks: 'workflows.edit', finds: 'held' },
    'POST /api/workflows/:id/duplicate': { path: `${workflow}/duplicate`, asks: 'workflows.edit', finds: 'held' },
    'GET /api/workflows/:id/activations': { path: `${workflow}/activations`, asks: 'workflows.read', finds: 'held' },
    'GET /api/workflows/:id/versions': { path: `${workflow}/versions`, asks: 'workflows.read', finds: 'held' },
    'POST /api/workflows/:id/versions': {
      path: `${workflow}/versions`,
      body: { definition: WORLD_DEFINITION },
      asks: 'workflows.edit',
      finds: 'held',
    },
    'GET /api/workflows/:id/versions/:versionId': {
      path: `${workflow}/versions/${versionId}`,
      asks: 'workflows.read',
      finds: 'held',
    },
    'GET /api/workflows/:id/draft': { path: `${workflow}/draft`, asks: 'workflows.read', finds: 'held' },
    'PUT /api/workflows/:id/draft': {
      path: `${workflow}/draft`,
      body: { definition: WORLD_DEFINITION },
      asks: 'workflows.edit',
      finds: 'held',
    },
    'DELETE /api/workflows/:id/draft': { path: `${workflow}/draft`, asks: 'workflows.edit', finds: 'held' },
    'GET /api/workflows/:id/import-report': {
      path: `${workflow}/import-report`,
      asks: 'workflows.read',
      finds: 'held',
    },
    'DELETE /api/workflows/:id/import-report': {
      path: `${workflow}/import-report`,
      asks: 'workflows.edit',
      finds: 'held',
    },
    'POST /api/workflows/:id/webhooks/:nodeId/url': {
      path: `${workflow}/webhooks/hook/url`,
      asks: 'workflows.publish',
      finds: 'held',
    },
    'POST /api/workflows/:id/webhooks/:nodeId/test': {
      path: `${workflow}/webhooks/hook/test`,
      asks: 'runs.start',
      finds: 'held',
    },
    'POST /api/workflows/:id/files': { path: `${workflow}/files`, body: {}, asks: 'files.upload', finds: 'held' },
    'GET /api/workflows/:id/deliveries': { path: `${workflow}/deliveries`, asks: 'workflows.read', finds: 'held' },
    'POST /api/workflows/:id/deliveries/:deliveryId/replay': {
      path: `${workflow}/deliveries/${versionId}/replay`,
      asks: 'runs.start',
      finds: 'held',
    },
    'GET /api/schedules': { path: `/api/schedules${ofWorkspace}`, asks: 'workflows.read', finds: 'named' },
    'POST /api/workflows/:id/schedules/:nodeId/pause': {
      path: `${workflow}/schedules/hook/pause`,
      asks: 'runs.control',
      finds: 'held',
    },
    'POST /api/workflows/:id/schedules/:nodeId/resume': {
      path: `${workflow}/schedules/hook/resume`,
      asks: 'runs.control',
      finds: 'held',
    },

    'GET /api/variables': { path: `/api/variables${ofWorkspace}`, asks: 'workflows.read', finds: 'named' },
    'POST /api/variables': {
      path: '/api/variables',
      body: { workspaceId, name: 'n', value: 'v' },
      asks: 'variables.change',
      finds: 'named',
    },
    'PATCH /api/variables/:id': {
      path: `/api/variables/${held.variable.id}`,
      body: { value: 'v' },
      asks: 'variables.change',
      finds: 'held',
    },
    'DELETE /api/variables/:id': {
      path: `/api/variables/${held.variable.id}`,
      asks: 'variables.change',
      finds: 'held',
    },
    'GET /api/variables/:id/workflows': {
      path: `/api/variables/${held.variable.id}/workflows`,
      asks: 'workflows.read',
      finds: 'held',
    },

    'GET /api/connectors': { path: `/api/connectors${ofWorkspace}`, asks: 'workflows.read', finds: 'named' },
    'POST /api/connectors': {
      path: '/api/connectors',
      body: { workspaceId, document: 'a', name: 'a', version: '1.0.0' },
      asks: 'connectors.change',
      finds: 'named',
    },
    'GET /api/connectors/:name/versions': {
      path: `${connector}${ofWorkspace}`,
      asks: 'workflows.read',
      finds: 'named',
    },
    'POST /api/connectors/options': {
      path: '/api/connectors/options',
      body: {
        ...{ workspaceId, connector: held.connector.name, version: '1.0.0', operation: 'issue.get' },
        ...{ field: 'path.id', credentialId: held.credential.id },
      },
      asks: 'workflows.edit',
      finds: 'held',
    },
    'DELETE /api/connectors/:name/versions/:version': {
      path: `${connector}/1.0.0${ofWorkspace}`,
      asks: 'connectors.change',
      finds: 'named',
    },
    'GET /api/connectors/:name/versions/:version/operations': {
      path: `${connector}/1.0.0/operations${ofWorkspace}`,
      asks: 'workflows.read',
      finds: 'named',
    },
    'GET /api/connectors/:name/versions/:version/operations/:operation': {
      path: `${connector}/1.0.0/operations/issue.get${ofWorkspace}`,
      asks: 'workflows.read',
      finds: 'named',
    },

    'GET /api/credentials': { path: `/api/credentials${ofWorkspace}`, asks: 'workflows.read', finds: 'named' },
    'POST /api/credentials': {
      path: '/api/credentials',
      body: { workspaceId, name: 'n', type: 'basic', secret: { username: 'u', password: 'p' } },
      asks: 'credentials.change',
      finds: 'named',
    },
    'GET /api/credentials/:id': {
      path: `/api/credentials/${held.credential.id}`,
      asks: 'workflows.read',
      finds: 'held',
    },
    'PATCH /api/credentials/:id': {
      path: `/api/credentials/${held.credential.id}`,
      body: { name: 'n' },
      asks: 'credentials.change',
      finds: 'held',
    },
    'DELETE /api/credentials/:id': {
      path: `/api/credentials/${held.credential.id}`,
      asks: 'credentials.change',
      finds: 'held',
    },

    'GET /api/credentials/:id/workflows': {
      path: `/api/credentials/${held.credential.id}/workflows`,
      asks: 'workflows.read',
      finds: 'held',
    },
    'POST /api/credentials/:id/test': {
      path: `/api/credentials/${held.credential.id}/test`,
      body: {},
      asks: 'workflows.edit',
      finds: 'held',
    },
    'POST /api/credentials/:id/connect': {
      path: `/api/credentials/${held.oauth.id}/connect`,
      asks: 'credentials.change',
      finds: 'held',
    },
    'POST /api/credentials/:id/connect/poll': {
      path: `/api/credentials/${held.oauth.id}/connect/poll`,
      body: { attempt: 'a' },
      asks: 'credentials.change',
      finds: 'held',
    },

    'GET /api/event-endpoints': { path: `/api/event-endpoints${ofWorkspace}`, asks: 'events.manage', finds: 'named' },
    'POST /api/event-endpoints': {
      path: '/api/event-endpoints',
      body: { workspaceId, url: 'https://example.com/events' },
      asks: 'events.manage',
      finds: 'named',
    },
    'GET /api/event-endpoints/:id': { path: endpoint, asks: 'events.manage', finds: 'held' },
    'PATCH /api/event-endpoints/:id': {
      path: endpoint,
      body: { description: 'd' },
      asks: 'events.manage',
      finds: 'held',
    },
    'DELETE /api/event-endpoints/:id': { path: endpoint, asks: 'events.manage', finds: 'held' },
    'GET /api/event-endpoints/:id/secrets': { path: `${endpoint}/secrets`, asks: 'events.manage', finds: 'held' },
    'POST /api/event-endpoints/:id/rotate-secret': {
      path: `${endpoint}/rotate-secret`,
      asks: 'events.manage',
      finds: 'held',
    },
    'POST /api/event-endpoints/:id/test': { path: `${endpoint}/test`, asks: 'events.manage', finds: 'held' },
    'GET /api/event-endpoints/:id/deliveries': { path: `${endpoint}/deliveries`, asks: 'events.manage', finds: 'held' },
    'POST /api/event-endpoints/:id/replay': {
      path: `${endpoint}/replay`,
      body: { since: '2026-01-01' },
      asks: 'events.manage',
      finds: 'held',
    },
    'POST /api/event-endpoints/:id/deliveries/:deliveryId/replay': {
      path: `${endpoint}/deliveries/${workflowId}/replay`,
      asks: 'events.manage',
      finds: 'held',
    },

    'POST /api/events': {
      path: '/api/events',
      body: { workspaceId, name: 'order.paid' },
      asks: 'runs.start',
      finds: 'named',
    },

    'GET /api/folders': { path: `/api/folders${ofWorkspace}`, asks: 'workflows.read', finds: 'named' },
    'POST /api/folders': {
      path: '/api/folders',
      body: { workspaceId, name: 'N' },
      asks: 'workflows.edit',
      finds: 'named',
    },
    'PATCH /api/folders/:id': {
      path: `/api/folders/${held.folder.id}`,
      body: { name: 'N' },
      asks: 'workflows.edit',
      finds: 'held',
    },
    'DELETE /api/folders/:id': { path: `/api/folders/${held.folder.id}`, asks: 'workflows.edit', finds: 'held' },

    'POST /api/workflows/:id/execute': { path: `${workflow}/execute`, asks: 'runs.start', finds: 'held' },
    'POST /api/workflows/:id/execute/batch': {
      path: `${workflow}/execute/batch`,
      body: [{}],
      asks: 'runs.start',
      finds: 'held',
    },
    'GET /api/workflows/:id/executions': { path: `${workflow}/executions`, asks: 'runs.read', finds: 'held' },
    'GET /api/executions': { path: `/api/executions${ofWorkspace}`, asks: 'runs.read', finds: 'named' },
    'GET /api/executions/export': {
      path: `/api/executions/export${ofWorkspace}&format=csv`,
      asks: 'runs.read',
      finds: 'named',
    },
    'GET /api/executions/histogram': {
      path: `/api/executions/histogram${ofWorkspace}`,
      asks: 'runs.read',
      finds: 'named',
    },
    'GET /api/executions/:id': { path: `/api/executions/${ran.finished}`, asks: 'runs.read', finds: 'held' },
    'GET /api/executions/:id/events': {
      path: `/api/executions/${ran.finished}/events`,
      asks: 'runs.read',
      finds: 'held',
    },
    'GET /api/executions/:id/nodes/:nodeId/output': {
      path: `/api/executions/${ran.finished}/nodes/start/output`,
      asks: 'runs.read',
      finds: 'held',
    },
    'POST /api/executions/stop': {
      path: '/api/executions/stop',
      body: { workspaceId, status: 'pending' },
      asks: 'runs.control',
      finds: 'named',
    },
    'POST /api/bulk-actions': {
      path: '/api/bulk-actions',
      body: { workspaceId, action: 'stop', filter: { status: 'pending' } },
      asks: 'runs.control',
      finds: 'named',
    },
    'GET /api/bulk-actions': {
      path: `/api/bulk-actions${ofWorkspace}`,
      asks: 'runs.read',
      finds: 'named',
    },
    'GET /api/bulk-actions/:id': {
      path: `/api/bulk-actions/${held.bulkAction.id}`,
      asks: 'runs.read',
      finds: 'held',
    },
    'POST /api/bulk-actions/:id/abort': {
      path: `/api/bulk-actions/${held.bulkAction.id}/abort`,
      asks: 'runs.control',
      finds: 'held',
    },
    'GET /api/failure-groups': { path: `/api/failure-groups${ofWorkspace}`, asks: 'runs.read', finds: 'named' },
    'GET /api/failure-groups/:id': {
      path: `/api/failure-groups/${held.failureGroup.id}`,
      asks: 'runs.read',
      finds: 'held',
    },
    'PATCH /api/failure-groups/:id': {
      path: `/api/failure-groups/${held.failureGroup.id}`,
      body: { state: 'ignored' },
      asks: 'runs.control',
      finds: 'held',
    },
    'POST /api/executions/:id/stop': { path: `/api/executions/${pending}/stop`, asks: 'runs.control', finds: 'held' },
    'GET /api/executions/:id/callbacks': {
      path: `/api/executions/${ran.finished}/callbacks`,
      asks: 'runs.read',
      finds: 'held',
    },
    'POST /api/executions/:id/callbacks/:deliveryId/replay': {
      path: `/api/executions/${ran.finished}/callbacks/${workflowId}/replay`,
      asks: 'runs.control',
      finds: 'held',
    },
    'PATCH /api/executions/:id': {
      path: `/api/executions/${ran.finished}`,
      body: { tags: ['a'] },
      asks: 'runs.control',
      finds: 'held',
    },
    'DELETE /api/executions/:id': { path: `/api/executions/${ran.finished}`, asks: 'runs.delete', finds: 'held' },
    'POST /api/executions/:id/redact': {
      path: `/api/executions/${ran.finished}/redact`,
      asks: 'runs.delete',
      finds: 'held',
    },
    'POST /api/executions/:id/pause': { path: `/api/executions/${pending}/pause`, asks: 'runs.control', finds: 'held' },
    'POST /api/executions/:id/resume': {
      path: `/api/executions/${ran.paused}/resume`,
      asks: 'runs.control',
      finds: 'held',
    },
    'POST /api/executions/:id/rerun': {
      path: `/api/executions/${ran.finished}/rerun`,
      asks: 'runs.start',
      finds: 'held',
    },
    'POST /api/executions/:id/nodes/:nodeId/complete': {
      path: `/api/executions/${ran.fills}/nodes/form/complete`,
      body: { data: { count: 2 } },
      asks: 'approvals.answer',
      finds: 'held',
    },
    'GET /api/executions/:id/nodes/:nodeId/iterations': {
      path: `/api/executions/${ran.finished}/nodes/start/iterations`,
      asks: 'runs.read',
      finds: 'held',
    },
    'GET /api/executions/:id/files/:fileId': {
      path: `/api/executions/${ran.finished}/files/${held.fileId}`,
      asks: 'runs.read',
      finds: 'held',
    },
    'POST /api/executions/:id/files/:fileId/link': {
      path: `/api/executions/${ran.finished}/files/${held.fileId}/link`,
      asks: 'files.share',
      finds: 'held',
    },
    'GET /api/executions/:id/result': {
      path: `/api/executions/${ran.finished}/result`,
      asks: 'runs.read',
      finds: 'held',
    },
    'GET /api/executions/:id/nodes/:nodeId/debug': {
      path: `/api/executions/${ran.finished}/nodes/start/debug`,
      asks: 'runs.read',
      finds: 'held',
    },
    'GET /api/human-tasks': { path: `/api/human-tasks${ofWorkspace}`, asks: 'approvals.read', finds: 'named' },
    'GET /api/approvals': { path: `/api/approvals${ofWorkspace}`, asks: 'approvals.read', finds: 'named' },
    'POST /api/approvals/submit': {
      path: '/api/approvals/submit',
      body: { executionId: ran.asks, nodeId: 'ask', approved: true },
      asks: 'approvals.answer',
      finds: 'held',
    },

    'GET /api/monitoring/stats': { path: `/api/monitoring/stats${ofWorkspace}`, asks: 'runs.read', finds: 'named' },
    'GET /api/monitoring/workflows': {
      path: `/api/monitoring/workflows${ofWorkspace}`,
      asks: 'runs.read',
      finds: 'named',
    },
    'GET /api/ai/memories': { path: `/api/ai/memories${ofWorkspace}`, asks: 'runs.read', finds: 'named' },
    'GET /api/ai/memories/messages': {
      path: `/api/ai/memories/messages${ofWorkspace}&key=a`,
      asks: 'runs.read',
      finds: 'named',
    },
    'DELETE /api/ai/memories/messages': {
      path: `/api/ai/memories/messages${ofWorkspace}&key=a`,
      asks: 'runs.delete',
      finds: 'named',
    },
    'GET /api/monitoring/activity': {
      path: `/api/monitoring/activity${ofWorkspace}&workflowId=${workflowId}`,
      asks: 'runs.read',
      finds: 'named',
    },
    'GET /api/insights': { path: `/api/insights${ofWorkspace}`, asks: 'runs.read', finds: 'named' },
    'GET /api/ai/usage': { path: `/api/ai/usage${ofWorkspace}`, asks: 'runs.read', finds: 'named' },
    'GET /api/audit-log': { path: `/api/audit-log${ofWorkspace}`, asks: 'workspace.read', finds: 'named' },

    'GET /api/users': { path: '/api/users', asks: 'administrator' },
    'POST /api/users/:id/deactivate': { path: `/api/users/${held.leaver.userId}/deactivate`, asks: 'administrator' },
    'POST /api/users/:id/activate': { path: `/api/users/${held.leaver.userId}/activate`, asks: 'administrator' },
    'DELETE /api/users/:id/identities': {
      path: `/api/users/${held.leaver.userId}/identities`,
      asks: 'administrator',
    },
    'GET /api/admin/audit-log': { path: '/api/admin/audit-log', asks: 'administrator' },
    'GET /api/admin/model-prices': { path: '/api/admin/model-prices', asks: 'administrator' },
    'PUT /api/admin/model-prices': { path: '/api/admin/model-prices', body: { prices: [] }, asks: 'administrator' },
    'GET /api/admin/settings': { path: '/api/admin/settings', asks: 'administrator' },
    'PUT /api/admin/settings': { path: '/api/admin/settings', body: settings, asks: 'administrator' },
    'GET /api/admin/workspaces/:id/limits': {
      path: `/api/admin/workspaces/${workspaceId}/limits`,
      asks: 'administrator',
    },
    'PUT /api/admin/workspaces/:id/limits': {
      path: `/api/admin/workspaces/${workspaceId}/limits`,
      body: limits,
      asks: 'administrator',
    },
    'GET /api/admin/workspaces/:id/usage': {
      path: `/api/admin/workspaces/${workspaceId}/usage`,
      asks: 'administrator',
    },
  } satisfies Record<string, Request>;
}

/**
 * Operations that change only the caller's own things, or let a member leave; their own tests check who may use them.
 */
const OF_THE_CALLER = [
  'POST /api/auth/logout',
  'POST /api/auth/password',
  'DELETE /api/auth/sessions',
  'DELETE /api/auth/sessions/:id',
  'POST /api/auth/sso/logout',
  'POST /api/auth/authenticator',
  'POST /api/auth/authenticator/confirm',
  'DELETE /api/auth/authenticator',
  'POST /api/auth/passkeys/options',
  'POST /api/auth/passkeys',
  'DELETE /api/auth/passkeys/:id',
  'POST /api/auth/recovery-codes',
  'POST /api/auth/confirm/options',
  'POST /api/auth/confirm',
  'GET /api/auth/devices/:id',
  'POST /api/auth/devices/:id/approve',
  'POST /api/api-keys',
  'POST /api/credentials/callback',
  'POST /api/workspaces',
  'DELETE /api/workspaces/:id/membership',
];

/** Sends a request as somebody. */
async function send(
  name: string,
  { path, body }: Request,
  as?: string,
  headers: Record<string, string> = {},
): Promise<ApiResponse<ErrorMembers | null>> {
  const [method = ''] = name.split(' ');
  return instance.gateway.call(method, path, { as, headers, ...(body === undefined ? {} : { body }) });
}

/** Returns whether a scope includes another: `ai:write` includes control of workflows, and any scope includes `me`. */
function grants(scope: string, required: string): boolean {
  return scope === required || scope === 'ai:write' || required === 'me:read';
}

/** Areas that the contract closes to API keys. */
const CLOSED_TO_KEYS = [
  /\/api\/(api-keys|auth|admin|users)/,
  /\/api\/workspaces\/:id\/(invites|membership|callback-secrets)/,
  /\/api\/event-endpoints\/:id\/secrets/,
];

/** Returns the scope that an operation requires of a key (contract, section 5); null if it is closed to keys. */
function scopeOf(name: string): string | null {
  // Not for the preset Read + write.
  if (name === 'DELETE /api/workspaces/:id') return 'workspaces:*';
  if (CLOSED_TO_KEYS.some((area) => area.test(name))) return null;
  const [method, path = ''] = name.split(' ');
  const isOfRuns = path === '/api/workflows/:id/executions' || /^\/api\/(bulk-actions|failure-groups)/.test(path);
  const resource = isOfRuns ? 'executions' : path === '/api/insights' ? 'monitoring' : path.split('/')[2];
  return `${resource}:${method === 'GET' ? 'read' : 'write'}`;
}

/** Returns the permission without which what an operation is about does not exist for a member. */
function seenBy(name: string): Permission {
  const path = name.split(' ')[1] ?? '';
  if (path.startsWith('/api/workspaces/')) return 'workspace.see';
  if (/^\/api\/approvals|\/complete$/.test(path)) return 'approvals.read';
  return /^\/api\/(executions|bulk-actions|failure-groups)/.test(path) ? 'runs.read' : 'workflows.read';
}

/** Returns the response that a signed-in caller, or a key with every scope, must get. */
function expectedOf(name: string, { asks, finds }: Request, caller: CallerName): string {
  const isKey = caller === 'other workspace' || caller === 'bound elsewhere';
  if (isKey && scopeOf(name) === null) return '403 SESSION_REQUIRED';
  if (asks === 'anybody') return '200';
  if (asks === 'administrator') return '403 FORBIDDEN';
  if (asks === 'its owner') return '404 NOT_FOUND';
  const role = ROLES.find((one) => one === caller);
  if (role !== undefined) {
    if (roleMay(role, asks)) return 'allowed';
    return finds === 'held' && !roleMay(role, seenBy(name)) ? '404 NOT_FOUND' : '403 FORBIDDEN';
  }
  if (finds === 'held') return '404 NOT_FOUND';
  return caller === 'bound elsewhere' ? '403 WORKSPACE_MISMATCH' : '403 FORBIDDEN';
}

/** Returns a response's status, an error's code, and the ids of the world that it contains although it must not. */
function describeResponse({ status, body, text }: ApiResponse<ErrorMembers | null>, mayName: boolean): string {
  const { workspaceId, workflowId, pending, ran } = world;
  const named = [workspaceId, workflowId, pending, ...Object.values(ran)].filter((id) => text.includes(id));
  return [status, ...(status >= 400 ? [body?.code] : []), ...(mayName ? [] : named)].join(' ');
}

/** Sends a request to every operation, one after another. @returns name → the result of `ask`. */
async function askEach(
  ask: (name: string, request: Request) => Promise<string>,
  names = Object.keys(requests),
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const name of names) {
    const request = requests[name];
    if (request) answers[name] = await ask(name, request);
  }
  return answers;
}

/** Expected results by operation. */
function expectEach(expected: (name: string, request: Request) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(requests).map(([name, request]) => [name, expected(name, request)]));
}

describe('every operation that is not open', () => {
  it('is in the table', () => {
    const names = listRoutes(instance.gateway.services)
      .filter(({ access }) => access !== 'open')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...Object.keys(requests), ...OF_THE_CALLER].sort()).toEqual(names.sort());
  });

  it('401: without a key', async () => {
    const answers = await askEach(async (name, request) => describeResponse(await send(name, request), false));
    expect(answers).toEqual(expectEach(() => '401 UNAUTHORIZED'));
  });

  it('403: with a key that has every scope but the right one', async () => {
    const answers = await askEach(async (name, request) => {
      const required = scopeOf(name);
      const other = required?.endsWith(':read') === true ? '*:write' : '*:read';
      const all = [other, ...SCOPE_RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`])];
      const scopes = required === null ? ['*'] : all.filter((scope) => !grants(scope, required));
      const { key } = await addKey(instance, ownerId, { scopes });
      const answer = await send(name, request, key);
      return `${describeResponse(answer, false)} ${answer.body?.required ?? ''}`;
    });
    expect(answers).toEqual(
      expectEach((name) => {
        const required = scopeOf(name);
        return required === null ? '403 SESSION_REQUIRED ' : `403 INSUFFICIENT_SCOPE ${required}`;
      }),
    );
  });

  it.each(['other workspace', 'bound elsewhere', 'removed member'] as const)(
    '%s: gets what is theirs, is refused the rest, and changes nothing',
    async (caller) => {
      const before = await digestTables(instance.db);
      const answers = await askEach(async (name, request) =>
        describeResponse(await send(name, request, callers[caller]), false),
      );
      expect(answers).toEqual(expectEach((name, request) => expectedOf(name, request, caller)));
      expect(await digestTables(instance.db)).toEqual(before);
    },
  );

  it.each(ROLES)('%s: reads what its permissions allow, is refused the rest, and changes nothing', async (role) => {
    const isAsked = (name: string, request: Request) =>
      name.startsWith('GET ') || expectedOf(name, request, role) !== 'allowed';
    const names = Object.entries(requests).flatMap(([name, request]) => (isAsked(name, request) ? [name] : []));
    // Reads of secrets are recorded.
    const digest = async () => {
      const { audit_log: audited, ...tables } = await digestTables(instance.db);
      return roleMay(role, 'events.manage') ? tables : { ...tables, audited };
    };
    const before = await digest();
    const answers = await askEach(async (name, request) => {
      const answer = describeResponse(await send(name, request, callers[role]), true);
      return answer === '200' && request.asks !== 'anybody' ? 'allowed' : answer;
    }, names);
    const expected = expectEach((name, request) => expectedOf(name, request, role));
    expect(answers).toEqual(Object.fromEntries(names.map((name) => [name, expected[name]])));
    expect(await digest()).toEqual(before);
  });

  it.each(['other workspace', 'bound elsewhere', 'removed member'] as const)(
    '%s: is not told that what they may not read is unchanged',
    async (caller) => {
      const etags = new Map<string, string>();
      for (const [name, request] of Object.entries(requests)) {
        if (!name.startsWith('GET ')) continue;
        const etag = (await send(name, request, instance.session)).headers.get('etag');
        if (etag !== null && request.asks !== 'anybody') etags.set(name, etag);
      }
      expect(etags.size).toBeGreaterThan(0);
      const answers = await askEach(
        async (name, request) => {
          const headers = { 'if-none-match': etags.get(name) ?? '' };
          return describeResponse(await send(name, request, callers[caller], headers), false);
        },
        [...etags.keys()],
      );
      const expected = expectEach((name, request) => expectedOf(name, request, caller));
      expect(answers).toEqual(Object.fromEntries([...etags.keys()].map((name) => [name, expected[name]])));
    },
  );

  // Last, because it changes the world: deletions come after everything else, and the fewest permissions first.
  it('the first two roles with a permission may change what it allows', async () => {
    const names = Object.keys(requests).filter((name) => !name.startsWith('GET '));
    const inOrder = [
      ...names.filter((name) => !name.startsWith('DELETE ')),
      ...names.filter((name) => name.startsWith('DELETE ') && name !== 'DELETE /api/workspaces/:id'),
      'DELETE /api/workspaces/:id',
    ];
    const refused: string[] = [];
    const answers = await askEach(async (name, request) => {
      let statuses = '';
      // Two of them show that the permission decides, and the matrix of roles has a test of its own.
      const allowed = ROLES.filter((role) => expectedOf(name, request, role) === 'allowed').slice(0, 2);
      for (const role of allowed) {
        const { status, body } = await send(name, request, callers[role]);
        if (status === 403) refused.push(`${role} ${name}: ${status} ${body?.error ?? ''}`);
        if (status >= 500) refused.push(`${role} ${name}: ${instance.gateway.log.slice(-3).join('\n')}`);
        statuses += `${status} `;
      }
      return statuses;
    }, inOrder);
    expect(refused).toEqual([]);
    expect(Object.values(answers).filter((statuses) => statuses.startsWith('2')).length).toBeGreaterThan(40);
  });
});
