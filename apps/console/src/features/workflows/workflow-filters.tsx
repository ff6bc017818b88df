import { type FolderEntry, WORKFLOW_STATUSES } from '@deckhand/contracts';
import { Group, SegmentedControl, Select } from '@mantine/core';
import { choice } from '../../app/search.ts';
import { SearchField } from '../../components/search-field.tsx';
import { STATUS_LOOKS } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { isFinding, SCOPES, type WorkflowAddress } from './address.ts';

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
    <Group mb="md" gap="sm" role="search" aria-label={i18n.t('Filter workflows')}>
      <SearchField
        label={i18n.t('Search by name or description')}
        isLabelHidden
        placeholder={i18n.t('Search')}
        value={address.search}
        onChange={(search) => onChange({ search })}
        flex="1 1 220px"
        maw={360}
      />
      <Select
        aria-label={i18n.t('Status')}
        placeholder={i18n.t('Any status')}
        clearable
        data={WORKFLOW_STATUSES.map((status) => ({ value: status, label: STATUS_LOOKS[status].label }))}
        value={address.status ?? null}
        onChange={(value) => onChange({ status: choice(WORKFLOW_STATUSES, value) })}
        w={160}
      />
      {folder && isFinding(address) && (
        <SegmentedControl
          aria-label={i18n.t('Search in')}
          data={[
            { value: 'here', label: i18n.t('In this folder') },
            { value: SCOPES[0], label: i18n.t('Everywhere') },
          ]}
          value={address.scope ?? 'here'}
          onChange={(value) => onChange({ scope: choice(SCOPES, value) })}
        />
      )}
    </Group>
  );
}
