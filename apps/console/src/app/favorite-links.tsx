import { Stack, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Star } from 'lucide-react';
import { workflowNamesQuery } from '../api/workflow-names.ts';
import { i18n } from '../language/i18n.ts';
import { useFavorites } from './favorites.ts';
import classes from './navigation.module.css';

/** Links to the favorite workflows; nothing without any, and none to those that were deleted. */
export function FavoriteLinks({
  personId,
  workspaceId,
  isCollapsed,
}: {
  personId: string;
  workspaceId: string;
  isCollapsed: boolean;
}) {
  const [ids] = useFavorites(personId, workspaceId);
  const names = useQuery({ ...workflowNamesQuery(workspaceId), enabled: ids.length > 0 }).data;
  const shown = ids.flatMap((id) => {
    const name = names?.get(id);
    return name === undefined ? [] : [{ id, name }];
  });
  if (shown.length === 0) return null;
  return (
    <Stack gap={2} mt="sm" component="nav" aria-label={i18n.t('Favorites')}>
      {shown.map(({ id, name }) => (
        <Tooltip
          key={id}
          label={name}
          position="right"
          disabled={!isCollapsed}
          events={{ hover: true, focus: true, touch: false }}
        >
          <Link
            to="/w/$workspaceId/workflows/$workflowId"
            params={{ workspaceId, workflowId: id }}
            className={classes.link}
            data-collapsed={isCollapsed}
            activeOptions={{ includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            <Star size={18} aria-hidden />
            <span className={isCollapsed ? classes.hidden : classes.name}>{name}</span>
          </Link>
        </Tooltip>
      ))}
    </Stack>
  );
}
