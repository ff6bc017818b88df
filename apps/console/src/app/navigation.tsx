import { Stack } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { ListVideo, Workflow } from 'lucide-react';
import classes from './navigation.module.css';

/** The areas of a workspace, in the order of daily use. */
const AREAS = [
  { to: '/w/$workspaceId/workflows', label: 'Workflows', Icon: Workflow },
  { to: '/w/$workspaceId/runs', label: 'Runs', Icon: ListVideo },
] as const;

/** Links to the areas of the workspace. */
export function Navigation() {
  const { workspaceId = '' } = useParams({ strict: false });
  return (
    <Stack gap={2} component="nav" aria-label="Areas">
      {AREAS.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          params={{ workspaceId }}
          className={classes.link}
          activeOptions={{ includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon size={18} aria-hidden />
          <span>{label}</span>
        </Link>
      ))}
    </Stack>
  );
}
