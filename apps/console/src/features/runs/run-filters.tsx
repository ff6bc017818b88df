import { EXECUTION_SOURCES, EXECUTION_STATUSES } from '@deckhand/contracts';
import { Button, Group, MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { FilterX, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { rangeOf, RUN_PERIOD_NAMES, type RunFilter } from '../../api/run-filter.ts';
import { choice, choicesOf, text } from '../../app/search.ts';
import { fromLocalTime, toLocalTime } from '../../components/local-time.ts';
import { SearchField } from '../../components/search-field.tsx';
import { STATUS_LOOKS } from '../../components/status-badge.tsx';
import { NumberField } from '../../forms/number-field.tsx';
import { WorkflowSelect } from '../../forms/workflow-select.tsx';
import { i18n } from '../../language/i18n.ts';
import { PERIODS, SOURCES } from './run-words.ts';

/** A range with ends of its own. */
const CUSTOM = 'custom';

/** The filters of the list of runs. */
export function RunFilters({
  filter,
  hasWorkflow,
  onChange,
  onClear,
}: {
  filter: RunFilter;
  /** Whether to offer a filter by workflow. */
  hasWorkflow: boolean;
  onChange: (change: RunFilter) => void;
  onClear: () => void;
}) {
  const isRange = filter.from !== undefined || filter.to !== undefined;
  const [isCustom, setCustom] = useState(isRange);
  const hasMore = (filter.tag ?? filter.minDurationMs ?? filter.maxDurationMs) !== undefined;
  const [isOpen, setOpen] = useState(hasMore);
  const isFiltered = Object.keys(filter).length > 0;
  const change = (changed: RunFilter): void => {
    const { minDurationMs, maxDurationMs, within, from } = { ...filter, ...changed };
    const needsStart = (minDurationMs ?? maxDurationMs) !== undefined && (within ?? from) === undefined;
    // The API finds durations within a range only.
    onChange(needsStart ? { ...changed, within: '7d', from: undefined, to: undefined } : changed);
  };
  const period = filter.within ?? (isCustom || isRange ? CUSTOM : null);
  return (
    <Group mb="md" gap="sm" role="search" aria-label={i18n.t('Filter runs')} align="flex-end">
      <SearchField
        label={i18n.t('Search')}
        placeholder={i18n.t('Input, output, ID')}
        value={filter.search}
        onChange={(search) => change({ search })}
        flex="1 1 140px"
        maw={260}
      />
      <MultiSelect
        label={i18n.t('Status')}
        placeholder={filter.status === undefined ? i18n.t('Any') : ''}
        clearable
        data={EXECUTION_STATUSES.map((status) => ({ value: status, label: STATUS_LOOKS[status].label }))}
        value={choicesOf(EXECUTION_STATUSES, filter.status)}
        onChange={(values) => change({ status: text(values.join(',')) })}
        flex="1 1 130px"
        maw={300}
      />
      <Select
        label={i18n.t('Time')}
        placeholder={i18n.t('Any')}
        clearable
        data={[
          ...RUN_PERIOD_NAMES.map((name) => ({ value: name, label: PERIODS[name] })),
          { value: CUSTOM, label: i18n.t('Custom range') },
        ]}
        value={period}
        onChange={(value) => {
          setCustom(value === CUSTOM);
          if (value !== CUSTOM) change({ within: choice(RUN_PERIOD_NAMES, value), from: undefined, to: undefined });
          else change({ within: undefined, from: rangeOf(filter).gte, to: rangeOf(filter).lte });
        }}
        flex="1 1 130px"
        maw={190}
      />
      {period === CUSTOM && (
        <>
          <TextInput
            label={i18n.t('From')}
            type="datetime-local"
            value={toLocalTime(filter.from)}
            onChange={({ currentTarget: { value } }) => change({ from: fromLocalTime(value) })}
            flex="1 1 180px"
            maw={200}
          />
          <TextInput
            label={i18n.t('To')}
            type="datetime-local"
            value={toLocalTime(filter.to)}
            onChange={({ currentTarget: { value } }) => change({ to: fromLocalTime(value) })}
            flex="1 1 180px"
            maw={200}
          />
        </>
      )}
      {hasWorkflow && (
        <WorkflowSelect
          label={i18n.t('Workflow')}
          placeholder={i18n.t('Any')}
          clearable
          value={filter.workflowId ?? null}
          onChange={(workflowId) => change({ workflowId: workflowId ?? undefined })}
          flex="1 1 130px"
          maw={230}
        />
      )}
      <MultiSelect
        label={i18n.t('Trigger')}
        placeholder={filter.source === undefined ? i18n.t('Any') : ''}
        clearable
        data={EXECUTION_SOURCES.map((source) => ({ value: source, label: SOURCES[source] }))}
        value={choicesOf(EXECUTION_SOURCES, filter.source)}
        onChange={(values) => change({ source: text(values.join(',')) })}
        flex="1 1 130px"
        maw={300}
      />
      <SearchField
        label={i18n.t('Error contains')}
        placeholder={i18n.t('Error text')}
        value={filter.errorContains}
        onChange={(errorContains) => change({ errorContains })}
        flex="1 1 140px"
        maw={260}
      />
      {isOpen ? (
        <>
          <TagsInput
            label={i18n.t('Tags')}
            placeholder={filter.tag === undefined ? i18n.t('All of these') : ''}
            clearable
            value={filter.tag?.split(',') ?? []}
            onChange={(tags) => change({ tag: text(tags.join(',')) })}
            flex="1 1 140px"
            maw={300}
          />
          <Limit
            label={i18n.t('Longer than (seconds)')}
            value={filter.minDurationMs}
            onChange={(minDurationMs) => change({ minDurationMs })}
          />
          <Limit
            label={i18n.t('Shorter than (seconds)')}
            value={filter.maxDurationMs}
            onChange={(maxDurationMs) => change({ maxDurationMs })}
          />
        </>
      ) : (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<SlidersHorizontal size={16} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {i18n.t('More filters')}
        </Button>
      )}
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<FilterX size={16} aria-hidden />}
          onClick={() => {
            setCustom(false);
            onClear();
          }}
        >
          {i18n.t('Clear')}
        </Button>
      )}
    </Group>
  );
}

/** A limit of the duration, in ms, that is typed in seconds. */
function Limit({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <NumberField
      label={label}
      placeholder={i18n.t('Any')}
      min={0}
      max={31_536_000}
      decimalScale={3}
      hideControls
      value={value === undefined ? null : value / 1_000}
      onChange={(seconds) => onChange(seconds === null ? undefined : Math.round(seconds * 1_000))}
      flex="1 1 130px"
      maw={190}
    />
  );
}
