import type { WorkerEntry } from '@deckhand/contracts';
import { CircleCheck, Hourglass, type LucideIcon, PlugZap, TriangleAlert, Unplug } from 'lucide-react';
import classes from './worker-state.module.css';

/** The state of a worker; `gone` is one that was live while the page was open. */
export type WorkerStateName = WorkerEntry['state'] | 'gone';

const STATES: Readonly<Record<WorkerStateName, { label: string; means: string; Icon: LucideIcon; tone: string }>> = {
  starting: { label: 'Starting', means: 'accepts no runs yet', Icon: PlugZap, tone: 'idle' },
  consuming: { label: 'Ready', means: 'accepts runs', Icon: CircleCheck, tone: 'good' },
  draining: { label: 'Draining', means: 'finishes its runs, accepts no new ones', Icon: Hourglass, tone: 'wait' },
  stalled: { label: 'Unresponsive', means: 'alive, but accepts no runs', Icon: TriangleAlert, tone: 'bad' },
  gone: { label: 'Not live', means: 'sends no heartbeats', Icon: Unplug, tone: 'bad' },
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
