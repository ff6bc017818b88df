import { FAILURE_GROUP_STATES, WORKFLOW_STATUSES } from '@deckhand/contracts';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { parseRunFilter, type RunFilter } from '../api/run-filter.ts';
import type { FailureFilter } from '../api/failure-groups.ts';
import { INSIGHTS_PERIOD_NAMES, type InsightsFilter } from '../api/insights.ts';
import { Broken } from '../components/broken.tsx';
import { NotFound } from '../components/not-found.tsx';
import { Invite } from '../features/sign-in/invite.tsx';
import { SetUp } from '../features/sign-in/set-up.tsx';
import { SignIn } from '../features/sign-in/sign-in.tsx';
import { SCOPES, SORTS, type WorkflowAddress } from '../features/workflows/address.ts';
import { HomePage } from '../features/home/home-page.tsx';
import { WorkflowList } from '../features/workflows/workflow-list.tsx';
import { readSession } from '../session/store.ts';
import { Home } from './home.tsx';
import { choice, optional, text } from './search.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ notFoundComponent: NotFound });

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home, beforeLoad: requireSession });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: (given): { next?: string } => optional({ next: text(given.next) }),
  beforeLoad: ({ search }) => leaveOnceSignedIn(search.next),
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: SetUp,
  beforeLoad: () => leaveOnceSignedIn(),
});
const invite = createRoute({ getParentRoute: () => root, path: '/invite', component: Invite });
const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  component: lazyRouteComponent(() => import('../features/sign-in/device.tsx'), 'Device'),
  beforeLoad: requireSession,
});

const signOnCallback = createRoute({
  getParentRoute: () => root,
  path: '/sso/callback',
  component: lazyRouteComponent(() => import('../features/sign-in/sign-on-callback.tsx'), 'SignOnCallback'),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('../features/sign-in/forgot-password.tsx'), 'ForgotPassword'),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('../features/sign-in/reset-password.tsx'), 'ResetPassword'),
});
const oauthCallback = createRoute({
  getParentRoute: () => root,
  path: '/oauth/callback',
  component: lazyRouteComponent(() => import('../features/credentials/oauth-callback.tsx'), 'OAuthCallback'),
  beforeLoad: requireSession,
});

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  component: Shell,
  // Beside the navigation, which leads on.
  notFoundComponent: NotFound,
  beforeLoad: requireSession,
});

const workspaceHome = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  beforeLoad: ({ params }) => {
    // The router redirects when a redirect is thrown.
    // oxlint-disable-next-line typescript/only-throw-error
    throw redirect({ to: '/w/$workspaceId/home', params });
  },
});

const homePage = createRoute({
  getParentRoute: () => workspace,
  path: 'home',
  component: HomePage,
});

const workflows = createRoute({
  getParentRoute: () => workspace,
  path: 'workflows',
  component: WorkflowList,
  validateSearch: (given): WorkflowAddress =>
    optional({
      folderId: text(given.folderId),
      search: text(given.search),
      status: choice(WORKFLOW_STATUSES, given.status),
      sort: choice(SORTS, given.sort),
      scope: choice(SCOPES, given.scope),
    }),
});

const editor = createRoute({
  getParentRoute: () => workspace,
  path: 'workflows/$workflowId',
  // With `after`, shows the changes between two versions (src/editor/sides.ts); with `run`, a run on the canvas.
  validateSearch: (given): { before?: string; after?: string; run?: string; node?: string } =>
    optional({ before: text(given.before), after: text(given.after), run: text(given.run), node: text(given.node) }),
  component: lazyRouteComponent(() => import('../features/editor/editor-page.tsx'), 'EditorPage'),
});

const runs = createRoute({
  getParentRoute: () => workspace,
  path: 'runs',
  component: lazyRouteComponent(() => import('../features/runs/run-list.tsx'), 'RunList'),
  validateSearch: parseRunFilter,
});

const workflowRuns = createRoute({
  getParentRoute: () => workspace,
  path: 'workflows/$workflowId/executions',
  component: lazyRouteComponent(() => import('../features/runs/workflow-runs.tsx'), 'WorkflowRuns'),
  validateSearch: (given): Omit<RunFilter, 'workflowId'> => {
    const { workflowId: _, ...filter } = parseRunFilter(given);
    return filter;
  },
});

const run = createRoute({
  getParentRoute: () => workspace,
  path: 'runs/$executionId',
  // The graph and its layout are loaded with the pages that draw one.
  component: lazyRouteComponent(() => import('../features/runs/run-page.tsx'), 'RunPage'),
  validateSearch: (given): { node?: string; iteration?: string } =>
    optional({ node: text(given.node), iteration: text(given.iteration) }),
});

const compareRuns = createRoute({
  getParentRoute: () => workspace,
  path: 'runs/compare',
  component: lazyRouteComponent(() => import('../features/run-comparison/run-comparison.tsx'), 'RunComparison'),
  validateSearch: (given): { left?: string; right?: string; node?: string } =>
    optional({ left: text(given.left), right: text(given.right), node: text(given.node) }),
});

const failures = createRoute({
  getParentRoute: () => workspace,
  path: 'failures',
  component: lazyRouteComponent(() => import('../features/failures/failure-list.tsx'), 'FailureList'),
  validateSearch: (given): FailureFilter =>
    optional({ state: choice(FAILURE_GROUP_STATES, given.state), workflowId: text(given.workflowId) }),
});
const failure = createRoute({
  getParentRoute: () => workspace,
  path: 'failures/$groupId',
  component: lazyRouteComponent(() => import('../features/failures/failure-page.tsx'), 'FailurePage'),
});
const insights = createRoute({
  getParentRoute: () => workspace,
  path: 'insights',
  component: lazyRouteComponent(() => import('../features/insights/insights-page.tsx'), 'InsightsPage'),
  validateSearch: (given): InsightsFilter =>
    optional({ within: choice(INSIGHTS_PERIOD_NAMES, given.within), workflowId: text(given.workflowId) }),
});
const bulkActions = createRoute({
  getParentRoute: () => workspace,
  path: 'bulk-actions',
  component: lazyRouteComponent(() => import('../features/bulk-actions/bulk-action-list.tsx'), 'BulkActionList'),
});

const bulkAction = createRoute({
  getParentRoute: () => workspace,
  path: 'bulk-actions/$actionId',
  component: lazyRouteComponent(() => import('../features/bulk-actions/bulk-action-page.tsx'), 'BulkActionPage'),
});

const eventEndpoints = createRoute({
  getParentRoute: () => workspace,
  path: 'event-endpoints',
  component: lazyRouteComponent(() => import('../features/event-endpoints/endpoint-list.tsx'), 'EndpointList'),
});
const eventEndpoint = createRoute({
  getParentRoute: () => workspace,
  path: 'event-endpoints/$endpointId',
  component: lazyRouteComponent(() => import('../features/event-endpoints/endpoint-page.tsx'), 'EndpointPage'),
});

const approvals = createRoute({
  getParentRoute: () => workspace,
  path: 'approvals',
  component: lazyRouteComponent(() => import('../features/approvals/approval-inbox.tsx'), 'ApprovalInbox'),
});
const apiKeys = createRoute({
  getParentRoute: () => workspace,
  path: 'api-keys',
  component: lazyRouteComponent(() => import('../features/api-keys/key-list.tsx'), 'KeyList'),
});
const fleet = createRoute({
  getParentRoute: () => workspace,
  path: 'fleet',
  component: lazyRouteComponent(() => import('../features/fleet/fleet-page.tsx'), 'FleetPage'),
});
const schedules = createRoute({
  getParentRoute: () => workspace,
  path: 'schedules',
  component: lazyRouteComponent(() => import('../features/schedules/schedule-list.tsx'), 'ScheduleList'),
});
const members = createRoute({
  getParentRoute: () => workspace,
  path: 'members',
  component: lazyRouteComponent(() => import('../features/members/member-list.tsx'), 'MemberList'),
});
const variables = createRoute({
  getParentRoute: () => workspace,
  path: 'variables',
  component: lazyRouteComponent(() => import('../features/variables/variable-list.tsx'), 'VariableList'),
});
const credentials = createRoute({
  getParentRoute: () => workspace,
  path: 'credentials',
  component: lazyRouteComponent(() => import('../features/credentials/credential-list.tsx'), 'CredentialList'),
});
const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  component: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
});
const auditLog = createRoute({
  getParentRoute: () => workspace,
  path: 'audit-log',
  component: lazyRouteComponent(() => import('../features/audit-log/audit-log.tsx'), 'AuditLog'),
});
const administration = createRoute({
  getParentRoute: () => workspace,
  path: 'administration',
  component: lazyRouteComponent(
    () => import('../features/administration/administration-page.tsx'),
    'AdministrationPage',
  ),
});
const account = createRoute({
  getParentRoute: () => workspace,
  path: 'account',
  component: lazyRouteComponent(() => import('../features/account/account-page.tsx'), 'AccountPage'),
});

const tree = root.addChildren([
  home,
  signIn,
  setUp,
  invite,
  device,
  signOnCallback,
  forgotPassword,
  resetPassword,
  oauthCallback,
  workspace.addChildren([
    workspaceHome,
    homePage,
    workflows,
    editor,
    workflowRuns,
    runs,
    run,
    compareRuns,
    failures,
    failure,
    insights,
    bulkActions,
    bulkAction,
    eventEndpoints,
    eventEndpoint,
    approvals,
    apiKeys,
    schedules,
    fleet,
    members,
    variables,
    credentials,
    settings,
    auditLog,
    administration,
    account,
  ]),
]);

/** Every route of the console. */
export function createAppRouter() {
  return createRouter({
    routeTree: tree,
    defaultPreload: 'intent',
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  });
}

// The router redirects when a redirect is thrown.
/* oxlint-disable typescript/only-throw-error */

/** Redirects to the sign-in page without a session, and back afterwards. */
function requireSession({ location: { href } }: { location: { href: string } }): void {
  if (readSession()) return;
  throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } });
}

/**
 * Redirects signed-in persons to the page that they wanted. @param next a path of this console; anything else, such as
 * another host, is ignored.
 */
function leaveOnceSignedIn(next?: string): void {
  if (!readSession()) return;
  if (next !== undefined && /^\/(w\/|device#)/.test(next)) throw redirect({ href: next });
  throw redirect({ to: '/' });
}
