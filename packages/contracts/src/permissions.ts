import { type Role, ROLES } from './roles.ts';

/** What a member of a workspace may do, and what each permission allows. Every check of a role names one of these. */
export const PERMISSIONS = {
  'workspace.see': 'see that the workspace exists and its name, and leave it',
  'workspace.read': 'read its members, its usage and its audit log',
  'workspace.change': 'change its name and settings',
  'workspace.delete': 'delete it',
  'members.manage': 'add, change and remove members; invite people',
  'owners.manage': 'make owners, and change or remove them',
  'workflows.read':
    'read workflows, versions, drafts, folders, schedules, variables, connectors, and names of credentials',
  'workflows.edit':
    'create and change workflows and folders, save versions and drafts, delete workflows that are not active',
  'workflows.publish':
    'activate and deactivate versions, change URLs of webhooks, and with `workflows.edit` delete active workflows, and change their slugs and error workflows',
  'variables.change': 'create, change and delete variables',
  'connectors.change': 'add and delete connectors',
  'credentials.change': 'create, change, connect and delete credentials, except private ones of others',
  'credentials.manage': 'delete private credentials of others, and limit where shared ones may be used',
  'events.manage': 'change event endpoints, read their secrets and those of callbacks',
  'runs.read': 'read runs with their data, files, bulk actions, failure groups, memories of agents, and figures',
  'runs.start': 'start and rerun runs, send events, replay requests of webhooks, open test URLs',
  'runs.test':
    'run old versions, and parts of workflows: with mocks, until a node, or from one that the run did not reach',
  'runs.control':
    'stop, pause, resume and tag runs, pause and resume schedules, abort bulk actions, replay callbacks, sort failures',
  'runs.delete': 'delete and redact runs, and delete memories of agents',
  'files.upload': 'store a file for the input of a run or for a form',
  'files.share': 'make links by which anybody downloads a file of a run',
  'approvals.read': 'see open approvals and forms',
  'approvals.answer': 'decide approvals and fill in forms',
} as const;

export type Permission = keyof typeof PERMISSIONS;

const VIEWER = ['workspace.see', 'workspace.read', 'workflows.read', 'runs.read', 'approvals.read'] as const;
const OPERATOR = [...VIEWER, 'runs.start', 'runs.control', 'files.upload'] as const;
const EDITOR = [
  ...OPERATOR,
  'runs.test',
  ...(['workflows.edit', 'workflows.publish', 'variables.change', 'connectors.change', 'credentials.change'] as const),
  ...(['runs.delete', 'files.share', 'approvals.answer'] as const),
] as const;
const ADMIN = [...EDITOR, 'workspace.change', 'members.manage', 'credentials.manage', 'events.manage'] as const;
const OWNER = [...ADMIN, 'workspace.delete', 'owners.manage'] as const;

/** The permissions of each role: the one place that says what a role may do. */
const ROLE_PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  // Fills in forms with files, too.
  approver: new Set(['workspace.see', 'approvals.read', 'approvals.answer', 'files.upload']),
  viewer: new Set(VIEWER),
  operator: new Set(OPERATOR),
  publisher: new Set([...OPERATOR, 'workflows.publish']),
  author: new Set([...OPERATOR, 'workflows.edit', 'runs.test']),
  editor: new Set(EDITOR),
  admin: new Set(ADMIN),
  owner: new Set(OWNER),
};

/** The permission that each bulk action needs. */
export const BULK_ACTION_PERMISSIONS = {
  stop: 'runs.control',
  rerun: 'runs.start',
  delete: 'runs.delete',
} as const satisfies Record<string, Permission>;

/** Returns true if a role has a permission. An unknown role, of a later version, has none. */
export function roleMay(role: Role, permission: Permission): boolean {
  return Object.hasOwn(ROLE_PERMISSIONS, role) && ROLE_PERMISSIONS[role].has(permission);
}

/** Returns the roles that have a permission. */
export function rolesWith(permission: Permission): Role[] {
  return ROLES.filter((role) => roleMay(role, permission));
}
