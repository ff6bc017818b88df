import { isUuid } from '@deckhand/contracts';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, Keyboard, KeyRound, ListVideo, Plus, UserPlus, Workflow } from 'lucide-react';
import { useState } from 'react';
import { newestRunsQuery, runQuery, type RunRow } from '../api/executions.ts';
import { meQuery } from '../api/people.ts';
import { useWorkspace } from '../api/use-workspace.ts';
import { workflowNamesQuery } from '../api/workflow-names.ts';
import { Dialog } from '../components/dialog.tsx';
import { Problem } from '../components/problem.tsx';
import { type Choice, type ChoiceGroup, SearchList } from '../components/search-list.tsx';
import { STATUS_LOOKS } from '../components/status-badge.tsx';
import { i18n } from '../language/i18n.ts';
import { areasFor } from './areas.ts';

/** Time without a key before the server is asked, in ms. */
const PAUSE_MS = 150;
const SHOWN_WORKFLOWS = 8;
const SHOWN_RUNS = 5;

/** Searches pages, actions, workflows and runs of the workspace. */
export function CommandSearch({ onClose, onOpen }: { onClose: () => void; onOpen: (overlay: Overlay) => void }) {
  const [search, setSearch] = useState('');
  const { groups, error } = useGroups(search, onClose, onOpen);
  return (
    <Dialog onClose={onClose} title={i18n.t({ id: 'noun: Search', message: 'Search' })} size="lg">
      <SearchList
        label={i18n.t('Search everything')}
        placeholder={i18n.t('A page, a workflow, the ID of a run, or an action')}
        search={search}
        onSearch={setSearch}
        groups={groups}
        empty={i18n.t('Nothing is found in this workspace.')}
      />
      <Problem error={error} />
    </Dialog>
  );
}

function useGroups(
  search: string,
  onClose: () => void,
  onOpen: (overlay: Overlay) => void,
): { groups: ChoiceGroup[]; error: Error | null } {
  const { workspaceId, can } = useWorkspace();
  const navigate = useNavigate();
  const wanted = search.trim().toLowerCase();
  const [asked] = useDebouncedValue(wanted, PAUSE_MS);
  const isAdmin = useQuery(meQuery).data?.user.isAdmin ?? false;
  const workflows = useQuery({
    ...workflowNamesQuery(workspaceId, asked),
    placeholderData: keepPreviousData,
    enabled: can('workflows.read'),
  });
  const newest = useQuery({ ...newestRunsQuery(workspaceId, {}), enabled: can('runs.read') });
  const named = useQuery({ ...runQuery(wanted), enabled: isUuid(wanted), retry: false }).data;
  const matches = (text: string): boolean => wanted.split(/\s+/).every((word) => text.toLowerCase().includes(word));
  const going = (go: () => Promise<void>) => (): void => {
    onClose();
    void go();
  };
  const toRun = ({ id, workflowName, status }: Pick<RunRow, 'id' | 'workflowName' | 'status'>): Choice => ({
    key: id,
    label:
      workflowName === null ? i18n.t('Run of a deleted workflow') : i18n.t('Run of {workflowName}', { workflowName }),
    detail: id,
    hint: STATUS_LOOKS[status].label,
    Icon: ListVideo,
    onPick: going(() =>
      navigate({ to: '/w/$workspaceId/runs/$executionId', params: { workspaceId, executionId: id } }),
    ),
  });
  const pages: Choice[] = [
    ...areasFor(can, isAdmin).map(({ to, label, Icon }) => ({
      key: to,
      label,
      Icon,
      onPick: going(() => navigate({ to, params: { workspaceId } })),
    })),
    {
      key: 'account',
      label: i18n.t('Your account'),
      Icon: CircleUserRound,
      onPick: going(() => navigate({ to: '/w/$workspaceId/account', params: { workspaceId } })),
    },
  ];
  const actions: Choice[] = [
    ...(can('workflows.edit')
      ? [{ key: 'new-workflow', label: i18n.t('New workflow'), Icon: Plus, onPick: () => onOpen('new-workflow') }]
      : []),
    {
      key: 'new-key',
      label: i18n.t('Create an API key'),
      Icon: KeyRound,
      onPick: going(() => navigate({ to: '/w/$workspaceId/api-keys', params: { workspaceId } })),
    },
    ...(can('members.manage')
      ? [
          {
            key: 'invite',
            label: i18n.t('Invite a member'),
            Icon: UserPlus,
            onPick: going(() => navigate({ to: '/w/$workspaceId/members', params: { workspaceId } })),
          },
        ]
      : []),
    {
      key: 'shortcuts',
      label: i18n.t('Keyboard shortcuts'),
      hint: '?',
      Icon: Keyboard,
      onPick: () => onOpen('shortcuts'),
    },
  ];
  const runs = (newest.data?.data ?? []).filter(({ id, workflowName }) => matches(`${id} ${workflowName ?? ''}`));
  const groups: ChoiceGroup[] = [
    {
      label: i18n.t({ id: 'noun: Run', message: 'Run' }),
      choices: named?.workspaceId === workspaceId ? [toRun(named)] : [],
    },
    {
      label: i18n.t('Workflows'),
      // While the server is asked, these are what it found for an earlier search.
      choices: [...(workflows.data ?? [])]
        .filter(([, name]) => matches(name))
        .slice(0, SHOWN_WORKFLOWS)
        .map(([workflowId, name]) => ({
          key: workflowId,
          label: name,
          Icon: Workflow,
          onPick: going(() =>
            navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId } }),
          ),
        })),
    },
    { label: i18n.t('Actions'), choices: actions.filter(({ label }) => matches(label)) },
    { label: i18n.t('Pages'), choices: pages.filter(({ label }) => matches(label)) },
    {
      label: i18n.t('Recent runs'),
      choices: runs
        .filter(({ id }) => id !== named?.id)
        .slice(0, SHOWN_RUNS)
        .map(toRun),
    },
  ];
  return { groups: groups.filter(({ choices }) => choices.length > 0), error: workflows.error ?? newest.error };
}

/** What can be opened over any page. */
export type Overlay = 'search' | 'shortcuts' | 'new-workflow';
