import { BULK_RERUN_VERSIONS, type CreateBulkActionBody } from '@deckhand/contracts';
import { Select, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { bulkActionsQuery, bulkCountQuery, type BulkTarget, startBulkAction } from '../../api/bulk-actions.ts';
import { workflowQuery } from '../../api/workflows.ts';
import { choice as oneOf } from '../../app/search.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { NumberField } from '../../forms/number-field.tsx';
import { i18n } from '../../language/i18n.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { type RerunVersion, useVersionNumbers } from '../runs/rerun-versions.ts';
import { describeAction } from './describe-action.ts';

type Action = CreateBulkActionBody['action'];

const TITLES: Readonly<Record<Action, string>> = {
  stop: i18n.t('Stop runs'),
  rerun: i18n.t('Re-run runs'),
  delete: i18n.t('Delete runs'),
};
const LABELS: Readonly<Record<Action, string>> = {
  stop: i18n.t('Stop'),
  rerun: i18n.t('Re-run'),
  delete: i18n.t('Delete'),
};
const NOTES: Readonly<Record<Action, string>> = {
  stop: i18n.t('Unfinished runs only. A stopped run cannot be resumed, but it can be re-run.'),
  rerun: i18n.t('Finished runs only. Each gets a new run with the same input.'),
  delete: i18n.t('Finished runs only. Deleted runs cannot be restored.'),
};
const STARTS = ['start', 'failedNode'] as const;

/** What a person may choose. */
interface BulkOptions {
  /** Undefined for the first one that can be chosen. */
  readonly version: RerunVersion | undefined;
  readonly from: (typeof STARTS)[number];
  /** Runs per second; null for no limit. */
  readonly rate: number | null;
}

/**
 * Asks for the options of a bulk action, shows how many runs it would act on, and starts it.
 * @param target the runs: a filter, or their ids. @param workflowId of all of them; undefined for those of several.
 */
export function StartBulkAction({
  workspaceId,
  action,
  target,
  workflowId,
  onClose,
}: {
  workspaceId: string;
  action: Action;
  target: BulkTarget;
  workflowId?: string | undefined;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const versions = useVersionOptions(action === 'rerun' ? workflowId : undefined);
  const initial: BulkOptions = { version: undefined, from: 'start', rate: null };
  const count = useQuery({
    ...bulkCountQuery({ workspaceId, action, ...target }),
    enabled: target.executionIds === undefined,
  });
  const total = target.executionIds?.length ?? count.data?.total;
  return (
    <FormDialog
      title={TITLES[action]}
      initial={initial}
      submit={total === undefined ? LABELS[action] : describeAction({ action, total })}
      canSubmit={() => total !== undefined && total > 0}
      act={async ({ version = versions[0].value, from, rate }) => {
        await startBulkAction({
          workspaceId,
          action,
          ...target,
          ...(action === 'rerun' && { version, from }),
          ...(rate !== null && { ratePerSecond: rate }),
        });
        await queryClient.invalidateQueries({ queryKey: bulkActionsQuery(workspaceId).queryKey });
        await navigate({ to: '/w/$workspaceId/bulk-actions', params: { workspaceId } });
      }}
      onClose={onClose}
    >
      {({ values: { version = versions[0].value }, set, field, choice }) => (
        <>
          <Text size="sm">{NOTES[action]}</Text>
          <Text size="sm" fw={600} role="status">
            {total === undefined
              ? i18n.t('Counting runs…')
              : i18n.t('{count, plural, one {# run match} other {# runs match}}', { count: total })}
          </Text>
          {action === 'rerun' && (
            <>
              <Select
                label={i18n.t('Version')}
                allowDeselect={false}
                description={
                  version === 'active'
                    ? i18n.t('Runs of workflows without a live version use their original version')
                    : undefined
                }
                data={[...versions]}
                value={version}
                onChange={(value) => set({ version: oneOf(BULK_RERUN_VERSIONS, value) })}
              />
              <Select
                label={i18n.t('Start at')}
                allowDeselect={false}
                data={[
                  { value: 'start', label: i18n.t('The beginning') },
                  { value: 'failedNode', label: i18n.t('The node that failed') },
                ]}
                {...choice('from', STARTS)}
              />
            </>
          )}
          <NumberField
            label={i18n.t('Runs per second')}
            description={i18n.t('Leave empty for no limit')}
            min={1}
            max={1_000}
            allowDecimal={false}
            {...field('rate')}
          />
          <Problem error={count.error} />
        </>
      )}
    </FormDialog>
  );
}

interface VersionOption {
  readonly value: RerunVersion;
  readonly label: string;
}

/** Lists the versions that reruns can use, the default first. @param workflowId undefined for several workflows. */
function useVersionOptions(workflowId: string | undefined): readonly [VersionOption, ...VersionOption[]] {
  const { can } = useWorkspace();
  const workflow = useQuery({ ...workflowQuery(workflowId ?? ''), enabled: workflowId !== undefined }).data;
  const { activeVersionId = null, latestVersionId = null } = workflow ?? {};
  const numbers = useVersionNumbers(workflowId ?? '', [activeVersionId, latestVersionId]);
  const [active, latest] = [activeVersionId, latestVersionId].map((id) => numbers.get(id ?? ''));
  const live: VersionOption = {
    value: 'active',
    label: active === undefined ? i18n.t('Live version') : i18n.t('Live version ({number})', { number: active }),
  };
  const original: VersionOption = { value: 'original', label: i18n.t('Original version') };
  const newest: VersionOption = {
    value: 'latest',
    label: latest === undefined ? i18n.t('Latest version') : i18n.t('Latest version ({number})', { number: latest }),
  };
  const old = can('runs.test') ? [original] : [];
  if (workflow && activeVersionId === null) return old.length > 0 ? [original, newest] : [newest];
  return workflow && activeVersionId === latestVersionId ? [live, ...old] : [live, ...old, newest];
}
