import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page.module.css';

/**
 * A page: its title, which the browser's tab shows, too, what can be done on it, and its content.
 * @param above the way to it, such as the folders that it is in.
 * @param menu what can be done with what the title names, in short.
 */
export function Page({
  title,
  above,
  menu,
  actions,
  children,
}: {
  title: string;
  above?: ReactNode;
  menu?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Deckhand`;
  }, [title]);
  return (
    <div className={classes.page}>
      {above}
      <Group justify="space-between" gap="sm" mb="md">
        <Group gap={4} wrap="nowrap">
          <Title order={1} size="h2" className={classes.title}>
            {title}
          </Title>
          {menu}
        </Group>
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
