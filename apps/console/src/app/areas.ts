import {
  Braces,
  CalendarClock,
  ChartColumn,
  CircleAlert,
  House,
  KeyRound,
  Layers,
  ListVideo,
  LockKeyhole,
  type LucideIcon,
  ScrollText,
  Server,
  Settings,
  SlidersHorizontal,
  Stamp,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react';
import type { Permission } from '@deckhand/contracts';
import { i18n } from '../language/i18n.ts';

interface Area {
  readonly to: string;
  readonly needs: Permission;
  readonly label: string;
  readonly Icon: LucideIcon;
}

/** The areas of a workspace, in the order of daily use. Who lacks the permission that one needs has no link to it. */
const AREAS = [
  { to: '/w/$workspaceId/home', needs: 'runs.read', label: i18n.t('Home'), Icon: House },
  { to: '/w/$workspaceId/workflows', needs: 'workflows.read', label: i18n.t('Workflows'), Icon: Workflow },
  { to: '/w/$workspaceId/schedules', needs: 'workflows.read', label: i18n.t('Schedules'), Icon: CalendarClock },
  { to: '/w/$workspaceId/runs', needs: 'runs.read', label: i18n.t('Runs'), Icon: ListVideo },
  { to: '/w/$workspaceId/failures', needs: 'runs.read', label: i18n.t('Failures'), Icon: CircleAlert },
  { to: '/w/$workspaceId/insights', needs: 'runs.read', label: i18n.t('Insights'), Icon: ChartColumn },
  { to: '/w/$workspaceId/bulk-actions', needs: 'runs.read', label: i18n.t('Bulk actions'), Icon: Layers },
  { to: '/w/$workspaceId/approvals', needs: 'approvals.read', label: i18n.t('Approvals'), Icon: Stamp },
  { to: '/w/$workspaceId/fleet', needs: 'runs.read', label: i18n.t('Fleet'), Icon: Server },
  { to: '/w/$workspaceId/variables', needs: 'workflows.read', label: i18n.t('Variables'), Icon: Braces },
  { to: '/w/$workspaceId/credentials', needs: 'workflows.read', label: i18n.t('Credentials'), Icon: LockKeyhole },
  { to: '/w/$workspaceId/event-endpoints', needs: 'workspace.read', label: i18n.t('Event endpoints'), Icon: Webhook },
  { to: '/w/$workspaceId/api-keys', needs: 'workspace.see', label: i18n.t('API keys'), Icon: KeyRound },
  { to: '/w/$workspaceId/members', needs: 'workspace.read', label: i18n.t('Members'), Icon: Users },
  { to: '/w/$workspaceId/settings', needs: 'workspace.read', label: i18n.t('Settings'), Icon: Settings },
  { to: '/w/$workspaceId/audit-log', needs: 'workspace.read', label: i18n.t('Audit log'), Icon: ScrollText },
] as const satisfies readonly Area[];

/** Areas for administrators of the instance. */
const ADMINISTRATION = [
  {
    to: '/w/$workspaceId/administration',
    needs: 'workspace.see',
    label: i18n.t('Administration'),
    Icon: SlidersHorizontal,
  },
] as const satisfies readonly Area[];

/** Returns the areas that a person may see. @param isAdmin whether the person administers the instance. */
export function areasFor(can: (permission: Permission) => boolean, isAdmin: boolean) {
  return [...AREAS, ...(isAdmin ? ADMINISTRATION : [])].filter(({ needs }) => can(needs));
}

/** Returns the permission that the area of a path needs; undefined outside areas. @param pathname as in the URL. */
export function neededAt(pathname: string): Permission | undefined {
  const [, , , first] = pathname.split('/');
  return [...AREAS, ...ADMINISTRATION].find(({ to }) => to.endsWith(`/${first ?? ''}`))?.needs;
}
