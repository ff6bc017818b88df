import type { WorkerEntry } from '@deckhand/contracts';
import { CircleCheck, Hourglass, type LucideIcon, PlugZap, TriangleAlert, Unplug } from 'lucide-react';
import classes from './worker-state.module.css';

/** How a worker is; `gone` is one that was live while the page was open. */
export type WorkerStateName = WorkerEntry['state'] | 'gone';

const LOOKS: Readonly<Record<WorkerStateName, { label: string; means: string; Icon: LucideIcon; tone: string }>> = {
  starting: { label: 'Starting', means: 'takes no runs yet', Icon: PlugZap, tone: 'idle' },
  consuming: { label: 'Consuming', means: 'takes runs', Icon: CircleCheck, tone: 'good' },
  draining: { label: 'Draining', means: 'ends what it has, takes nothing new', Icon: Hourglass, tone: 'wait' },
  stalled: { label: 'Unresponsive', means: 'is alive, but takes no runs', Icon: TriangleAlert, tone: 'bad' },
  gone: { label: 'Not live', means: 'is not heard of any more', Icon: Unplug, tone: 'bad' },
};

/** A worker's state as an icon, a word, and what it means. */
export function WorkerState({ state }: { state: WorkerStateName }) {
  const { label, means, Icon, tone } = LOOKS[state];
  return (
    <span className={classes.state}>
      <Icon size={16} aria-hidden style={{ color: `var(--status-${tone})` }} />
      <span>
        {label}: <span className={classes.means}>{means}</span>
      </span>
    </span>
  );
}
