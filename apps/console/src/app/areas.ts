import {
  Braces,
  CalendarClock,
  CircleAlert,
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

/** The areas of a workspace, in the order of daily use. */
export const AREAS = [
  { to: '/w/$workspaceId/workflows', label: 'Workflows', Icon: Workflow },
  { to: '/w/$workspaceId/schedules', label: 'Schedules', Icon: CalendarClock },
  { to: '/w/$workspaceId/runs', label: 'Runs', Icon: ListVideo },
  { to: '/w/$workspaceId/failures', label: 'Failures', Icon: CircleAlert },
  { to: '/w/$workspaceId/bulk-actions', label: 'Bulk actions', Icon: Layers },
  { to: '/w/$workspaceId/approvals', label: 'Approvals', Icon: Stamp },
  { to: '/w/$workspaceId/fleet', label: 'Fleet', Icon: Server },
  { to: '/w/$workspaceId/variables', label: 'Variables', Icon: Braces },
  { to: '/w/$workspaceId/credentials', label: 'Credentials', Icon: LockKeyhole },
  { to: '/w/$workspaceId/event-endpoints', label: 'Event endpoints', Icon: Webhook },
  { to: '/w/$workspaceId/api-keys', label: 'API keys', Icon: KeyRound },
  { to: '/w/$workspaceId/members', label: 'Members', Icon: Users },
  { to: '/w/$workspaceId/settings', label: 'Settings', Icon: Settings },
  { to: '/w/$workspaceId/audit-log', label: 'Audit log', Icon: ScrollText },
] as const;

/** Areas for administrators of the instance. */
export const ADMINISTRATION = [
  { to: '/w/$workspaceId/administration', label: 'Administration', Icon: SlidersHorizontal },
] as const;
