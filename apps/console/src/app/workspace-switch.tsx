import type { MeResponse } from '@deckhand/contracts';
import { Select } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { i18n } from '../language/i18n.ts';

/** Selects the workspace of the pages. */
export function WorkspaceSwitch({ workspaces }: { workspaces: MeResponse['workspaces'] }) {
  const navigate = useNavigate();
  const { workspaceId = '' } = useParams({ strict: false });
  return (
    <Select
      aria-label={i18n.t('Workspace')}
      data={workspaces.map((workspace) => ({ value: workspace.workspaceId, label: workspace.name }))}
      value={workspaceId}
      allowDeselect={false}
      searchable={workspaces.length > 8}
      rightSection={<ChevronsUpDown size={14} aria-hidden />}
      comboboxProps={{ width: 240, position: 'bottom-start' }}
      size="sm"
      maw={220}
      miw={0}
      onChange={(value) => {
        if (value !== null) void navigate({ to: '/w/$workspaceId/workflows', params: { workspaceId: value } });
      }}
    />
  );
}
