import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.js';
import { workspaceUsageQuery } from '../../api/workspaces.js';
import { describeBytes } from '../../components/durations.js';

/** The usage of the workspace, and its limits, which administrators of the instance set. */
export function Usage() {
  const { workspaceId } = useWorkspace();
  const usage = useQuery(workspaceUsageQuery(workspaceId)).data;
  if (!usage) return null;
  const { storedBytes, storageQuotaBytes, executionsPerMinute, maxConcurrentExecutions } = usage;
  return (
    <section aria-labelledby="usage">
      <Title order={2} size="h4" id="usage" mb="xs">
        Usage and limits
      </Title>
      <Text size="sm">
        Storage: {describeBytes(storedBytes)} of{' '}
        {storageQuotaBytes === null ? 'any size' : describeBytes(storageQuotaBytes)}
      </Text>
      <Text size="sm">Runs per minute: {executionsPerMinute ?? 'no limit'}</Text>
      <Text size="sm">Max concurrent runs: {maxConcurrentExecutions ?? 'no limit'}</Text>
    </section>
  );
}
