import { Stack, Tooltip, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
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
import { approvalsQuery, humanTasksQuery } from '../api/approvals.js';
import { meQuery } from '../api/people.js';
import classes from './navigation.module.css';

/** The areas of a workspace, in the order of daily use. */
const AREAS = [
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
const ADMINISTRATION = [
  { to: '/w/$workspaceId/administration', label: 'Administration', Icon: SlidersHorizontal },
] as const;

/** Links to the areas of the workspace; with `isCollapsed` only their icons, with the names as tooltips. */
export function Navigation({ isCollapsed }: { isCollapsed: boolean }) {
  const { workspaceId = '' } = useParams({ strict: false });
  const approvals = useQuery(approvalsQuery(workspaceId)).data?.data.length ?? 0;
  const waiting = approvals + (useQuery(humanTasksQuery(workspaceId)).data?.data.length ?? 0);
  const isAdmin = useQuery(meQuery).data?.user.isAdmin ?? false;
  return (
    <Stack gap={2} component="nav" aria-label="Areas">
      {[...AREAS, ...(isAdmin ? ADMINISTRATION : [])].map(({ to, label, Icon }) => (
        <Tooltip
          key={to}
          label={label}
          position="right"
          disabled={!isCollapsed}
          events={{ hover: true, focus: true, touch: false }}
        >
          <Link
            to={to}
            params={{ workspaceId }}
            className={classes.link}
            data-collapsed={isCollapsed}
            activeOptions={{ includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            <Icon size={18} aria-hidden />
            <span className={isCollapsed ? classes.hidden : undefined}>{label}</span>
            {label === 'Approvals' && waiting > 0 && (
              <span className={classes.count}>
                {waiting}
                <VisuallyHidden> waiting</VisuallyHidden>
              </span>
            )}
          </Link>
        </Tooltip>
      ))}
    </Stack>
  );
}
