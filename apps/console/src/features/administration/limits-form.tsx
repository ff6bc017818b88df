import type { WorkspaceLimits } from '@deckhand/contracts';
import { Button, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limitsQuery, usageQuery, writeLimits } from '../../api/administration.ts';
import { describeBytes } from '../../components/durations.ts';
import { notify } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { BytesInput } from '../../forms/bytes-input.tsx';
import { isAllAt, issueAt } from '../../forms/issue-at.ts';
import { LimitInput } from '../../forms/number-field.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';

const FIELDS = [
  'executionsPerMinute',
  'maxConcurrentExecutions',
  'storageQuotaBytes',
  'modelTokensPerMonth',
  'modelMicroUsdPerMonth',
] as const;

/** Edits the limits of a workspace. */
export function LimitsForm({ workspaceId, limits }: { workspaceId: string; limits: WorkspaceLimits }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(limits);
  const save = useMutation({
    mutationFn: () => writeLimits(workspaceId, draft),
    onSuccess(saved) {
      queryClient.setQueryData(limitsQuery(workspaceId).queryKey, saved);
      notify(i18n.t('Limits saved. They apply at once.'));
    },
  });
  const field = (name: (typeof FIELDS)[number]) => ({
    value: draft[name],
    error: issueAt(save.error, name),
    placeholder: i18n.t('No limit'),
    onChange: (value: number | null) => setDraft((before) => ({ ...before, [name]: value })),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="md">
        <LimitInput
          label={i18n.t('Runs per minute')}
          description={i18n.t('Further runs are refused until the minute is over')}
          {...field('executionsPerMinute')}
        />
        <LimitInput
          label={i18n.t('Max concurrent runs')}
          description={i18n.t('Further runs are queued')}
          {...field('maxConcurrentExecutions')}
        />
        <BytesInput
          label={i18n.t('Storage')}
          description={i18n.t('Inputs and outputs of runs; beyond it, new runs are refused')}
          {...field('storageQuotaBytes')}
        />
        <StorageBar workspaceId={workspaceId} quotaBytes={limits.storageQuotaBytes} />
        <LimitInput
          label={i18n.t('Tokens of language models per month')}
          description={i18n.t('Further requests to models fail until the next month of UTC')}
          {...field('modelTokensPerMonth')}
        />
        <LimitInput
          label={i18n.t('Costs of language models per month, in millionths of a dollar')}
          description={i18n.t('1000000 is $1. Requests that could exceed it fail, and those to models without a price')}
          {...field('modelMicroUsdPerMonth')}
        />
        {!isAllAt(save.error, FIELDS) && <Problem error={save.error} />}
        <Button type="submit" loading={save.isPending} w="fit-content">
          {i18n.t('Save limits')}
        </Button>
      </Stack>
    </form>
  );
}

/** Share in percent from which the bar has the color of a warning. */
const NEARLY_FULL = 90;

/** Shows how much of its storage quota a workspace uses. */
function StorageBar({ workspaceId, quotaBytes }: { workspaceId: string; quotaBytes: number | null }) {
  const usage = useQuery(usageQuery(workspaceId)).data;
  if (!usage) return null;
  const used = describeBytes(usage.storedBytes);
  if (quotaBytes === null) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('{used} used', { used })}
      </Text>
    );
  }
  const percent = Math.min(100, (usage.storedBytes / quotaBytes) * 100);
  return (
    <div>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          color={percent >= NEARLY_FULL ? 'var(--status-bad)' : 'var(--accent)'}
          aria-label={i18n.t('Storage used')}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {i18n.t('{used} of {quota} used ({percent} %)', {
          used,
          quota: describeBytes(quotaBytes),
          percent: formatNumber(percent, { atMost: percent < 10 ? 1 : 0 }),
        })}
      </Text>
    </div>
  );
}
