import { type FolderEntry, WORKFLOW_STATUSES } from '@deckhand/contracts';
import { Button, Group, SegmentedControl, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileDown, FolderPlus, Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { pathTo } from '../../api/folder-tree.ts';
import { createFolder, foldersQuery } from '../../api/folders.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { choice, optional } from '../../app/search.ts';
import { Broken } from '../../components/broken.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { STATUS_LOOKS } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { isFinding, SCOPES, SORTS, type WorkflowAddress } from './address.ts';
import { Checklist } from './checklist.tsx';
import { CreateWorkflow } from './create-workflow.tsx';
import { FolderMenu } from './folder-menu.tsx';
import { ImportN8n } from './import-n8n.tsx';
import { NameForm } from './list-actions.tsx';
import { FolderPath } from './workflow-path.tsx';
import { WorkflowTable } from './workflow-table.tsx';

const route = getRouteApi('/w/$workspaceId/workflows');

/** The folders and workflows of a workspace: the content of a folder, or search results. */
export function WorkflowList() {
  const { workspaceId, can } = useWorkspace();
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const { data: tree, error, refetch } = useQuery(foldersQuery(workspaceId));
  const [isCreating, creating] = useDisclosure(false);
  const [isCreatingFolder, creatingFolder] = useDisclosure(false);
  const [isImporting, importing] = useDisclosure(false);
  useFocusOnArrival(address.folderId);
  if (!tree) {
    return (
      <Page title={i18n.t('Workflows')}>
        {error ? <Broken error={error} reset={() => void refetch()} /> : <Loading />}
      </Page>
    );
  }
  const folderId = address.folderId ?? null;
  const path = pathTo(tree, folderId);
  const folder = path.at(-1);
  if (folderId !== null && !folder) return <NoSuchFolder workspaceId={workspaceId} />;
  const narrow = (change: WorkflowAddress): void =>
    void navigate({ search: (before) => optional({ ...before, ...change }), replace: true });
  const newButton = can('workflows.edit') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={creating.open}>
      {i18n.t('New workflow')}
    </Button>
  );
  return (
    <Page
      title={folder?.name ?? i18n.t('Workflows')}
      above={folder && <FolderPath workspaceId={workspaceId} path={path.slice(0, -1)} />}
      menu={
        folder && (
          <FolderMenu
            key={folder.id}
            folder={folder}
            onDeleted={() =>
              void navigate({ search: optional({ folderId: folder.parentId ?? undefined }), replace: true })
            }
          />
        )
      }
      actions={
        can('workflows.edit') && (
          <>
            <Button variant="default" leftSection={<FolderPlus size={16} aria-hidden />} onClick={creatingFolder.open}>
              {i18n.t('New folder')}
            </Button>
            <Button variant="default" leftSection={<FileDown size={16} aria-hidden />} onClick={importing.open}>
              {i18n.t('Import from n8n')}
            </Button>
            {newButton}
          </>
        )
      }
    >
      <WorkflowFilters key={folderId} address={address} folder={folder} onChange={narrow} />
      <WorkflowTable workspaceId={workspaceId} address={address} tree={tree} newButton={newButton} />
      {folderId === null && !isFinding(address) && <Checklist key={workspaceId} />}
      <CreateWorkflow workspaceId={workspaceId} folder={folder} isOpen={isCreating} onClose={creating.close} />
      <ImportN8n workspaceId={workspaceId} folder={folder} isOpen={isImporting} onClose={importing.close} />
      <NameForm
        isOpen={isCreatingFolder}
        title={folder ? i18n.t('New folder in {folder}', { folder: folder.name }) : i18n.t('New folder')}
        submit={i18n.t('Create')}
        act={async (name) => {
          await createFolder({ workspaceId, name, parentId: folderId });
          await queryClient.invalidateQueries({ queryKey: foldersQuery(workspaceId).queryKey });
        }}
        onClose={creatingFolder.close}
      />
    </Page>
  );
}

function NoSuchFolder({ workspaceId }: { workspaceId: string }) {
  return (
    <Page title={i18n.t('Workflows')}>
      <EmptyState
        title={i18n.t('Folder not found')}
        action={
          <AnchorLink to="/w/$workspaceId/workflows" params={{ workspaceId }}>
            {i18n.t('Go to all workflows')}
          </AnchorLink>
        }
      >
        {i18n.t('It was deleted, or it is in another workspace. Its workflows are at the top level now.')}
      </EmptyState>
    </Page>
  );
}

/**
 * Moves the focus to the start of a folder after it was entered by keyboard, because the link with the focus is gone.
 */
function useFocusOnArrival(folderId: string | undefined): void {
  const before = useRef(folderId);
  useEffect(() => {
    if (before.current === folderId) return;
    before.current = folderId;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [folderId]);
}

/** The filters of the list; in a folder, also whether only that folder is searched. */
function WorkflowFilters({
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
      <Select
        aria-label={i18n.t('Sort by')}
        allowDeselect={false}
        data={[
          { value: 'changed', label: i18n.t('Last changed') },
          { value: SORTS[0], label: i18n.t('Name') },
          { value: SORTS[1], label: i18n.t('Last created') },
        ]}
        value={address.sort ?? 'changed'}
        onChange={(value) => onChange({ sort: choice(SORTS, value) })}
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
