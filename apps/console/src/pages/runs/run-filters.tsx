import { EXECUTION_STATUSES } from '@deckhand/contracts';
import { Button, Group, Select, TextInput } from '@mantine/core';
import { FilterX } from 'lucide-react';
import type { RunFilter } from '../../api/executions.js';
import { choice } from '../../app/search.js';
import { SearchField } from '../../components/search-field.js';
import { STATUS_LOOKS } from '../../components/status-badge.js';
import { fromLocalTime, toLocalTime } from '../../components/local-time.js';
import { WorkflowSelect } from '../../forms/workflow-select.js';

/** The filters of the list of runs. */
export function RunFilters({
  filter,
  onChange,
  onClear,
}: {
  filter: RunFilter;
  onChange: (change: RunFilter) => void;
  onClear: () => void;
}) {
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filter runs" align="flex-end">
      <SearchField
        label="Search"
        placeholder="Input, output, ID"
        value={filter.search}
        onChange={(search) => onChange({ search })}
        flex="1 1 140px"
        maw={260}
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
      <WorkflowSelect
        label="Workflow"
        placeholder="Any"
        clearable
        value={filter.workflowId ?? null}
        onChange={(workflowId) => onChange({ workflowId: workflowId ?? undefined })}
        flex="1 1 130px"
        maw={230}
      />
      <SearchField
        label="Error contains"
        placeholder="Error text"
        value={filter.errorContains}
        onChange={(errorContains) => onChange({ errorContains })}
        flex="1 1 140px"
        maw={260}
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
