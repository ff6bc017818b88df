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
import { formatNumber, i18n } from '../language/i18n.ts';
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
  pending: { label: i18n.t('Pending'), Icon: CircleDashed, tone: 'idle' },
  running: { label: i18n.t('Running'), Icon: LoaderCircle, tone: 'busy' },
  paused: { label: i18n.t('Paused'), Icon: CirclePause, tone: 'held' },
  waiting: { label: i18n.t('Waiting'), Icon: Clock, tone: 'wait' },
  waiting_for_input: { label: i18n.t('Waiting for approval'), Icon: Hand, tone: 'wait' },
  waiting_for_human: { label: i18n.t('Waiting for input'), Icon: Hand, tone: 'wait' },
  success: { label: i18n.t('Success'), Icon: CircleCheck, tone: 'good' },
  failed: { label: i18n.t('Failed'), Icon: CircleX, tone: 'bad' },
  timeout: { label: i18n.t('Timed out'), Icon: TimerOff, tone: 'bad' },
  stopped: { label: i18n.t('Stopped'), Icon: Ban, tone: 'idle' },
  skipped: { label: i18n.t('Skipped'), Icon: SkipForward, tone: 'idle' },
  draft: { label: i18n.t('Draft'), Icon: PencilLine, tone: 'idle' },
  active: { label: i18n.t('Active'), Icon: Power, tone: 'good' },
  open: { label: i18n.t({ id: 'status: Open', message: 'Open' }), Icon: CircleAlert, tone: 'bad' },
  ignored: { label: i18n.t('Ignored'), Icon: BellOff, tone: 'idle' },
  resolved: { label: i18n.t('Resolved'), Icon: CircleCheck, tone: 'good' },
  finished: { label: i18n.t('Finished'), Icon: CircleCheck, tone: 'good' },
  enabled: { label: i18n.t('Enabled'), Icon: Power, tone: 'good' },
  failing: { label: i18n.t('Failing'), Icon: CircleAlert, tone: 'bad' },
  disabled: { label: i18n.t('Disabled'), Icon: PowerOff, tone: 'idle' },
  delivered: { label: i18n.t('Delivered'), Icon: CircleCheck, tone: 'good' },
  aborted: { label: i18n.t('Aborted'), Icon: Ban, tone: 'idle' },
  inactive: { label: i18n.t('Inactive'), Icon: PowerOff, tone: 'wait' },
};

/** A status as an icon and a word. @param count how many have it */
export function StatusBadge({ status, count }: { status: Status; count?: number }) {
  const { label, Icon, tone } = STATUS_LOOKS[status];
  return (
    <span className={classes.badge} data-status={status} data-tone={tone}>
      <Icon size={14} aria-hidden className={status === 'running' ? classes.turning : undefined} />
      {label}
      {count !== undefined && ` · ${formatNumber(count)}`}
    </span>
  );
}
