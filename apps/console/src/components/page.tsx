import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page.module.css';

/**
 * A page: its title, which is also the browser tab's, its actions and its content.
 * @param above the path to the page, such as the folders that contain it.
 * @param menu actions on the object that the title names.
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
