import type {
  BulkAction,
  EventDelivery,
  ExecutionStatus,
  FailureGroupState,
  NodeStatus,
  WorkflowStatus,
} from '@deckhand/contracts';
import {
  Ban,
  BellOff,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  Hand,
  LoaderCircle,
  type LucideIcon,
  PencilLine,
  Power,
  PowerOff,
  SkipForward,
  TimerOff,
} from 'lucide-react';
import classes from './status-badge.module.css';

/** How an event endpoint is doing. */
export type EndpointStatus = 'enabled' | 'failing' | 'disabled';

type Status =
  | ExecutionStatus
  | NodeStatus
  | WorkflowStatus
  | FailureGroupState
  | BulkAction['status']
  | EventDelivery['status']
  | EndpointStatus;

interface Look {
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Names a colour of the theme. */
  readonly tone: 'good' | 'bad' | 'busy' | 'wait' | 'idle' | 'held';
}

/** The appearance of each status, never by its colour alone. */
export const STATUS_LOOKS: Readonly<Record<Status, Look>> = {
  pending: { label: 'Pending', Icon: CircleDashed, tone: 'idle' },
  running: { label: 'Running', Icon: LoaderCircle, tone: 'busy' },
  paused: { label: 'Paused', Icon: CirclePause, tone: 'held' },
  waiting: { label: 'Waiting', Icon: Clock, tone: 'wait' },
  waiting_for_input: { label: 'Waiting for approval', Icon: Hand, tone: 'wait' },
  waiting_for_human: { label: 'Waiting for input', Icon: Hand, tone: 'wait' },
  success: { label: 'Success', Icon: CircleCheck, tone: 'good' },
  failed: { label: 'Failed', Icon: CircleX, tone: 'bad' },
  timeout: { label: 'Timed out', Icon: TimerOff, tone: 'bad' },
  stopped: { label: 'Stopped', Icon: Ban, tone: 'idle' },
  skipped: { label: 'Skipped', Icon: SkipForward, tone: 'idle' },
  draft: { label: 'Draft', Icon: PencilLine, tone: 'idle' },
  active: { label: 'Active', Icon: Power, tone: 'good' },
  open: { label: 'Open', Icon: CircleAlert, tone: 'bad' },
  ignored: { label: 'Ignored', Icon: BellOff, tone: 'idle' },
  resolved: { label: 'Resolved', Icon: CircleCheck, tone: 'good' },
  finished: { label: 'Finished', Icon: CircleCheck, tone: 'good' },
  enabled: { label: 'Enabled', Icon: Power, tone: 'good' },
  failing: { label: 'Failing', Icon: CircleAlert, tone: 'bad' },
  disabled: { label: 'Disabled', Icon: PowerOff, tone: 'idle' },
  delivered: { label: 'Delivered', Icon: CircleCheck, tone: 'good' },
  aborted: { label: 'Aborted', Icon: Ban, tone: 'idle' },
  inactive: { label: 'Inactive', Icon: PowerOff, tone: 'wait' },
};

/** A status as an icon and a word. */
export function StatusBadge({ status }: { status: Status }) {
  const { label, Icon, tone } = STATUS_LOOKS[status];
  return (
    <span className={classes.badge} data-status={status}>
      <Icon
        size={16}
        aria-hidden
        className={status === 'running' ? classes.turning : undefined}
        style={{ color: `var(--status-${tone})` }}
      />
      {label}
    </span>
  );
}
