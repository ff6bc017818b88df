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
  ScrollText,
  Server,
  Settings,
  SlidersHorizontal,
  Stamp,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react';
import { i18n } from '../language/i18n.ts';

/** The areas of a workspace, in the order of daily use. */
export const AREAS = [
  { to: '/w/$workspaceId/home', label: i18n.t('Home'), Icon: House },
  { to: '/w/$workspaceId/workflows', label: i18n.t('Workflows'), Icon: Workflow },
  { to: '/w/$workspaceId/schedules', label: i18n.t('Schedules'), Icon: CalendarClock },
  { to: '/w/$workspaceId/runs', label: i18n.t('Runs'), Icon: ListVideo },
  { to: '/w/$workspaceId/failures', label: i18n.t('Failures'), Icon: CircleAlert },
  { to: '/w/$workspaceId/insights', label: i18n.t('Insights'), Icon: ChartColumn },
  { to: '/w/$workspaceId/bulk-actions', label: i18n.t('Bulk actions'), Icon: Layers },
  { to: '/w/$workspaceId/approvals', label: i18n.t('Approvals'), Icon: Stamp },
  { to: '/w/$workspaceId/fleet', label: i18n.t('Fleet'), Icon: Server },
  { to: '/w/$workspaceId/variables', label: i18n.t('Variables'), Icon: Braces },
  { to: '/w/$workspaceId/credentials', label: i18n.t('Credentials'), Icon: LockKeyhole },
  { to: '/w/$workspaceId/event-endpoints', label: i18n.t('Event endpoints'), Icon: Webhook },
  { to: '/w/$workspaceId/api-keys', label: i18n.t('API keys'), Icon: KeyRound },
  { to: '/w/$workspaceId/members', label: i18n.t('Members'), Icon: Users },
  { to: '/w/$workspaceId/settings', label: i18n.t('Settings'), Icon: Settings },
  { to: '/w/$workspaceId/audit-log', label: i18n.t('Audit log'), Icon: ScrollText },
] as const;

/** Areas for administrators of the instance. */
export const ADMINISTRATION = [
  { to: '/w/$workspaceId/administration', label: i18n.t('Administration'), Icon: SlidersHorizontal },
] as const;
