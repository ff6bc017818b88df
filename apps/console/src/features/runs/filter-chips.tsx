import { EXECUTION_MODES, EXECUTION_SOURCES, EXECUTION_STATUSES } from '@deckhand/contracts';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunFilter } from '../../api/run-filter.ts';
import { choicesOf } from '../../app/search.ts';
import { describeDuration } from '../../components/durations.ts';
import { STATUS_LOOKS } from '../../components/status-badge.tsx';
import { dateLocale, i18n } from '../../language/i18n.ts';
import classes from './run-list.module.css';
import { MODES, PERIODS, SOURCES } from './run-words.ts';
import { WorkflowName } from './workflow-name.tsx';

/** A filter that is set, and the change that removes it. */
interface Chip {
  readonly key: keyof RunFilter;
  readonly text: string;
  readonly without: RunFilter;
}

/** The filters of a list that are set, each of which a click removes. Nothing without any. */
export function FilterChips({ filter, onChange }: { filter: RunFilter; onChange: (change: RunFilter) => void }) {
  const chips = chipsOf(filter);
  if (chips.length === 0 && filter.workflowId === undefined) return null;
  return (
    <ul className={classes.chips} aria-label={i18n.t('Active filters')}>
      {filter.workflowId !== undefined && (
        <li>
          <ChipButton onRemove={() => onChange({ workflowId: undefined })}>
            {i18n.t('Workflow')}: <WorkflowName workflowId={filter.workflowId} />
          </ChipButton>
        </li>
      )}
      {chips.map(({ key, text, without }) => (
        <li key={key}>
          <ChipButton onRemove={() => onChange(without)}>{text}</ChipButton>
        </li>
      ))}
    </ul>
  );
}

function ChipButton({ onRemove, children }: { onRemove: () => void; children: ReactNode }) {
  return (
    <button type="button" className={classes.chip} title={i18n.t('Remove this filter')} onClick={onRemove}>
      {children} <X size={13} role="img" aria-label={i18n.t('Remove')} />
    </button>
  );
}

/** Returns the filters that are set, apart from the workflow, whose name is loaded. */
function chipsOf(filter: RunFilter): Chip[] {
  const { within, from, to, minDurationMs, maxDurationMs, tag, search, errorContains, failureGroup } = filter;
  const statuses = choicesOf(EXECUTION_STATUSES, filter.status).map((status) => STATUS_LOOKS[status].label);
  const sources = choicesOf(EXECUTION_SOURCES, filter.source).map((source) => SOURCES[source]);
  const modes = choicesOf(EXECUTION_MODES, filter.executionMode).map((mode) => MODES[mode]);
  const named = (key: keyof RunFilter, name: string, value: string | undefined): Chip[] =>
    value === undefined || value === '' ? [] : [{ key, text: `${name}: ${value}`, without: { [key]: undefined } }];
  return [
    ...named('search', i18n.t('Search'), search),
    ...named('status', i18n.t('Status'), statuses.join(', ')),
    ...named('within', i18n.t('Time'), within && PERIODS[within]),
    ...named('from', i18n.t('From'), from && describeTime(from)),
    ...named('to', i18n.t('To'), to && describeTime(to)),
    ...named('source', i18n.t('Trigger'), sources.join(', ')),
    ...named('executionMode', i18n.t('Mode'), modes.join(', ')),
    ...named('errorContains', i18n.t('Error contains'), errorContains),
    ...named('tag', i18n.t('Tags'), tag?.split(',').join(', ')),
    ...named('minDurationMs', i18n.t('Longer than'), describeLimit(minDurationMs)),
    ...named('maxDurationMs', i18n.t('Shorter than'), describeLimit(maxDurationMs)),
    ...named('failureGroup', i18n.t('Failure group'), failureGroup?.slice(0, 8)),
  ];
}

function describeLimit(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : describeDuration(ms);
}

function describeTime(time: string): string {
  const date = new Date(time);
  // Whoever edits the URL may write anything.
  return Number.isNaN(date.getTime())
    ? time
    : date.toLocaleString(dateLocale(), { dateStyle: 'medium', timeStyle: 'short' });
}
