import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page.module.css';

/** A page: its title, which the browser's tab shows, too, what can be done on it, and its content. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Deckhand`;
  }, [title]);
  return (
    <div className={classes.page}>
      <Group justify="space-between" gap="sm" mb="md">
        <Title order={1} size="h2" className={classes.title}>
          {title}
        </Title>
        {actions !== undefined && (
          <Group gap="xs" wrap="wrap">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </div>
  );
}
