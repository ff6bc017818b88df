import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page.module.css';

/**
 * A page: its title, which is also the browser tab's, its actions and its content.
 * @param above the path to the page, such as the folders that contain it.
 * @param menu actions on the object that the title names.
 * @param tabs links to the other pages of that object.
 * @param isFull whether its content fills the window.
 */
export function Page({
  title,
  above,
  menu,
  actions,
  tabs,
  isFull = false,
  children,
}: {
  title: string;
  above?: ReactNode;
  menu?: ReactNode;
  actions?: ReactNode;
  tabs?: ReactNode;
  isFull?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Deckhand`;
  }, [title]);
  return (
    <div className={classes.page} data-full={isFull}>
      {above}
      <Group justify="space-between" gap="sm" mb="md">
        <Group gap="xs">
          <Group gap={4} wrap="nowrap">
            <Title order={1} size="h2" className={classes.title}>
              {title}
            </Title>
            {menu}
          </Group>
          {tabs}
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
