import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { SchemeSwitch } from '../../app/scheme-switch.tsx';
import classes from './front-door.module.css';

/** The page of a person who is not signed in: one card. */
export function FrontDoor({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Deckhand`;
  }, [title]);
  return (
    <div className={classes.place}>
      <header className={classes.head}>
        <SchemeSwitch />
      </header>
      <main className={classes.card}>
        <Stack gap="lg">
          <div>
            <img src="/icon.svg" alt="" width={40} height={40} />
            <Title order={1} size="h3" mt="sm">
              {title}
            </Title>
            <Text c="dimmed" mt={4}>
              {lead}
            </Text>
          </div>
          {children}
        </Stack>
      </main>
    </div>
  );
}
