import type { WorkerEntry } from '@deckhand/contracts';
import { CircleCheck, Hourglass, type LucideIcon, PlugZap, TriangleAlert, Unplug } from 'lucide-react';
import { i18n } from '../../language/i18n.ts';
import classes from './worker-state.module.css';

/** The state of a worker; `gone` is one that was live while the page was open. */
export type WorkerStateName = WorkerEntry['state'] | 'gone';

const STATES: Readonly<Record<WorkerStateName, { label: string; means: string; Icon: LucideIcon; tone: string }>> = {
  starting: { label: i18n.t('Starting'), means: i18n.t('accepts no runs yet'), Icon: PlugZap, tone: 'idle' },
  consuming: { label: i18n.t('Ready'), means: i18n.t('accepts runs'), Icon: CircleCheck, tone: 'good' },
  draining: {
    label: i18n.t('Draining'),
    means: i18n.t('finishes its runs, accepts no new ones'),
    Icon: Hourglass,
    tone: 'wait',
  },
  stalled: {
    label: i18n.t('Unresponsive'),
    means: i18n.t('alive, but accepts no runs'),
    Icon: TriangleAlert,
    tone: 'bad',
  },
  gone: { label: i18n.t('Not live'), means: i18n.t('sends no heartbeats'), Icon: Unplug, tone: 'bad' },
};

/** A worker's state as an icon and a word, with an explanation. */
export function WorkerState({ state }: { state: WorkerStateName }) {
  const { label, means, Icon, tone } = STATES[state];
  return (
    <span className={classes.state}>
      <Icon size={16} aria-hidden style={{ color: `var(--status-${tone})` }} />
      <span>
        {label}: <span className={classes.means}>{means}</span>
      </span>
    </span>
  );
}
