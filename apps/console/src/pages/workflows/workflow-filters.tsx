import { type FolderEntry, WORKFLOW_STATUSES } from '@deckhand/contracts';
import { Group, SegmentedControl, Select } from '@mantine/core';
import { choice } from '../../app/search.js';
import { SearchField } from '../../components/search-field.js';
import { STATUS_LOOKS } from '../../components/status-badge.js';
import { isFinding, SCOPES, type WorkflowAddress } from './address.js';

/** The filters of the list; in a folder, also whether only that folder is searched. */
export function WorkflowFilters({
  address,
  folder,
  onChange,
}: {
  address: WorkflowAddress;
  folder: FolderEntry | undefined;
  onChange: (change: WorkflowAddress) => void;
}) {
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filter workflows">
      <SearchField
        label="Search by name or description"
        isLabelHidden
        placeholder="Search"
        value={address.search}
        onChange={(search) => onChange({ search })}
        flex="1 1 220px"
        maw={360}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        data={WORKFLOW_STATUSES.map((status) => ({ value: status, label: STATUS_LOOKS[status].label }))}
        value={address.status ?? null}
        onChange={(value) => onChange({ status: choice(WORKFLOW_STATUSES, value) })}
        w={160}
      />
      {folder && isFinding(address) && (
        <SegmentedControl
          aria-label="Search in"
          data={[
            { value: 'here', label: 'In this folder' },
            { value: SCOPES[0], label: 'Everywhere' },
          ]}
          value={address.scope ?? 'here'}
          onChange={(value) => onChange({ scope: choice(SCOPES, value) })}
        />
      )}
    </Group>
  );
}
