import { Loader, Text, Title } from '@mantine/core';
import { CircleAlert, CircleCheck, CircleHelp, Hand, type LucideIcon } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { i18n } from '../../language/i18n.ts';
import classes from './home-page.module.css';

/** What a card says: `unknown` if it could not be loaded. */
export type CardState = 'well' | 'wrong' | 'waiting' | 'unknown' | 'loading';

const LOOKS: Readonly<Record<Exclude<CardState, 'loading'>, { readonly Icon: LucideIcon; readonly label: string }>> = {
  well: { Icon: CircleCheck, label: i18n.t('Fine') },
  wrong: { Icon: CircleAlert, label: i18n.t('Needs attention') },
  waiting: { Icon: Hand, label: i18n.t('Waiting') },
  unknown: { Icon: CircleHelp, label: i18n.t('Unknown') },
};

/** One thing that may be wrong: its state, never by a colour alone, what is wrong, and where to see it. */
export function Card({
  title,
  state,
  wellText,
  link,
  children,
}: {
  title: string;
  state: CardState;
  /** Shown if nothing is wrong, in place of the content. */
  wellText: string;
  link: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.card} data-state={state} aria-labelledby={id}>
      <div className={classes.head}>
        <State state={state} />
        <Title order={3} size="h5" id={id}>
          {title}
        </Title>
      </div>
      {state === 'well' && <Text c="dimmed">{wellText}</Text>}
      {state === 'unknown' && <Text c="dimmed">{i18n.t('This could not be loaded. It is tried again.')}</Text>}
      {(state === 'wrong' || state === 'waiting') && children}
      <div className={classes.link}>{link}</div>
    </section>
  );
}

function State({ state }: { state: CardState }) {
  if (state === 'loading') return <Loader size={16} aria-label={i18n.t('Loading')} />;
  const { Icon, label } = LOOKS[state];
  return <Icon size={20} className={classes.icon} role="img" aria-label={label} />;
}
