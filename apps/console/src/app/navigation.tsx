import { Trans } from '@lingui/react';
import { Stack, Tooltip, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { approvalsQuery, humanTasksQuery } from '../api/approvals.ts';
import { useWorkspace } from '../api/use-workspace.ts';
import { i18n } from '../language/i18n.ts';
import { areasFor } from './areas.ts';
import classes from './navigation.module.css';

/** Links to the areas of the workspace; with `isCollapsed` only their icons, with the names as tooltips. */
export function Navigation({ isCollapsed }: { isCollapsed: boolean }) {
  const { workspaceId, can, user } = useWorkspace();
  const approvals = useQuery(approvalsQuery(workspaceId)).data?.data ?? [];
  const tasks = useQuery(humanTasksQuery(workspaceId)).data?.data ?? [];
  // What others have to answer is not counted.
  const waiting = [...approvals, ...tasks].filter(({ canAnswer }) => canAnswer).length;
  return (
    <Stack gap={2} component="nav" aria-label={i18n.t('Areas')}>
      {areasFor(can, user.isAdmin).map(({ to, label, Icon }) => (
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
            {to === '/w/$workspaceId/approvals' && waiting > 0 && (
              <span className={classes.count}>
                <Trans id="{waiting}<0> waiting</0>" values={{ waiting }} components={{ 0: <VisuallyHidden /> }} />
              </span>
            )}
          </Link>
        </Tooltip>
      ))}
    </Stack>
  );
}
