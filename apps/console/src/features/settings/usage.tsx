import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.ts';
import { workspaceUsageQuery } from '../../api/workspaces.ts';
import { describeBytes } from '../../components/durations.ts';
import { i18n } from '../../language/i18n.ts';

/** The usage of the workspace, and its limits, which administrators of the instance set. */
export function Usage() {
  const { workspaceId } = useWorkspace();
  const usage = useQuery(workspaceUsageQuery(workspaceId)).data;
  if (!usage) return null;
  const { storedBytes, storageQuotaBytes, executionsPerMinute, maxConcurrentExecutions } = usage;
  const used = describeBytes(storedBytes);
  return (
    <section aria-labelledby="usage">
      <Title order={2} size="h4" id="usage" mb="xs">
        {i18n.t('Usage and limits')}
      </Title>
      <Text size="sm">
        {storageQuotaBytes === null
          ? i18n.t('Storage: {used}, no limit', { used })
          : i18n.t('Storage: {used} of {quota}', { used, quota: describeBytes(storageQuotaBytes) })}
      </Text>
      <Text size="sm">
        {executionsPerMinute === null
          ? i18n.t('Runs per minute: no limit')
          : i18n.t('Runs per minute: {limit}', { limit: executionsPerMinute })}
      </Text>
      <Text size="sm">
        {maxConcurrentExecutions === null
          ? i18n.t('Max concurrent runs: no limit')
          : i18n.t('Max concurrent runs: {limit}', { limit: maxConcurrentExecutions })}
      </Text>
    </section>
  );
}
