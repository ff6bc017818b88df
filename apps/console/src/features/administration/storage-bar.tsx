import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/administration.ts';
import { describeBytes } from '../../components/durations.ts';
import { i18n } from '../../language/i18n.ts';

/** Share in percent from which the bar has the color of a warning. */
const NEARLY_FULL = 90;

/** Shows how much of its storage quota a workspace uses. */
export function StorageBar({ workspaceId, quotaBytes }: { workspaceId: string; quotaBytes: number | null }) {
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
          percent: percent.toFixed(percent < 10 ? 1 : 0),
        })}
      </Text>
    </div>
  );
}
