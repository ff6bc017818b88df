import { Notification } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { i18n } from '../language/i18n.ts';
import { dismiss, readNotices, watchNotices } from './notice-board.ts';
import classes from './notices.module.css';

/** Notifications of results and errors, at the edge of every page; screen readers read them, too. */
export function Notices() {
  const notices = useSyncExternalStore(watchNotices, readNotices);
  return (
    <div className={classes.board} role="status" aria-live="polite">
      {notices.map(({ id, text, isBad }) => (
        <Notification
          key={id}
          color={isBad ? 'red' : 'harbor'}
          onClose={() => dismiss(id)}
          closeButtonProps={{ 'aria-label': i18n.t('Dismiss') }}
          withBorder
        >
          {text}
        </Notification>
      ))}
    </div>
  );
}
