import { EXECUTION_STATUSES } from '@deckhand/contracts';
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { FilterX, Search } from 'lucide-react';
import { useState } from 'react';
import type { RunFilter } from '../../api/executions.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { workflowNamesQuery } from '../../api/workflow-names.js';
import { choice } from '../../app/search.js';
import { STATUS_LOOKS } from '../../parts/status-badge.js';
import { fromLocalTime, toLocalTime } from './local-time.js';

const TYPING_MS = 300;

/** Every filter that the list of runs has. */
export function RunFilters({
  filter,
  onChange,
  onClear,
}: {
  filter: RunFilter;
  onChange: (change: RunFilter) => void;
  onClear: () => void;
}) {
  const { workspaceId } = useWorkspace();
  const names = useQuery(workflowNamesQuery(workspaceId)).data ?? new Map<string, string>();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filter the runs" align="flex-end">
      <Typed
        label="Search"
        placeholder="Input, outputs, ids"
        value={filter.search}
        onChange={(search) => onChange({ search })}
      />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        data={EXECUTION_STATUSES.map((status) => ({ value: status, label: STATUS_LOOKS[status].label }))}
        value={filter.status ?? null}
        onChange={(value) => onChange({ status: choice(EXECUTION_STATUSES, value) })}
        flex="1 1 130px"
        maw={190}
      />
      <Select
        label="Workflow"
        placeholder="Any"
        clearable
        searchable
        data={[...names].map(([value, label]) => ({ value, label }))}
        value={filter.workflowId ?? null}
        onChange={(workflowId) => onChange({ workflowId: workflowId ?? undefined })}
        flex="1 1 130px"
        maw={230}
      />
      <Typed
        label="Error contains"
        placeholder="Text of the error"
        value={filter.errorContains}
        onChange={(errorContains) => onChange({ errorContains })}
      />
      <TextInput
        label="From"
        type="datetime-local"
        value={toLocalTime(filter.from)}
        onChange={({ currentTarget: { value } }) => onChange({ from: fromLocalTime(value) })}
        flex="1 1 180px"
        maw={200}
      />
      <TextInput
        label="To"
        type="datetime-local"
        value={toLocalTime(filter.to)}
        onChange={({ currentTarget: { value } }) => onChange({ to: fromLocalTime(value) })}
        flex="1 1 180px"
        maw={200}
      />
      {isFiltered && (
        <Button variant="subtle" color="gray" leftSection={<FilterX size={16} aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
    </Group>
  );
}

/** A text that is asked for once typing pauses. */
function Typed({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? '');
  const [known, setKnown] = useState(value);
  if (known !== value) {
    // The filter was changed elsewhere, such as by Clear.
    setKnown(value);
    setText(value ?? '');
  }
  const apply = useDebouncedCallback((typed: string) => {
    const next = typed === '' ? undefined : typed;
    setKnown(next);
    onChange(next);
  }, TYPING_MS);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        apply(typed);
      }}
      flex="1 1 140px"
      maw={260}
    />
  );
}
