import type { CreatedApiKey } from '@deckhand/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyText } from '../../components/copy-text.tsx';
import { i18n } from '../../language/i18n.ts';

/** What people read for the access of a key. */
export const ACCESS: Readonly<Record<string, string>> = {
  'Read-only': i18n.t('Read-only'),
  'Read + write': i18n.t('Read + write'),
  'Read + write + AI agent': i18n.t('Read + write + AI agent'),
  'Full access': i18n.t('Full access'),
  Custom: i18n.t('Custom'),
};

/** Shows a created key, the only time, with a command to try it. */
export function KeyMade({ made, onDone }: { made: CreatedApiKey; onDone: () => void }) {
  const curl = `curl ${window.location.origin}/api/workspaces -H 'x-api-key: ${made.key}'`;
  const access = ACCESS[made.access] ?? made.access;
  return (
    <Stack>
      <Text size="sm">
        {made.expiresAt === null
          ? i18n.t('Copy the key now: it is shown only once. It is {access} and never expires.', { access })
          : i18n.t('Copy the key now: it is shown only once. It is {access} and expires on {date}.', {
              access,
              date: made.expiresAt.slice(0, 10),
            })}
      </Text>
      <CopyText label={i18n.t('API key')} text={made.key} />
      <Text size="sm">{i18n.t('Try it out:')}</Text>
      <CopyText label={i18n.t('Command')} text={curl} />
      <Group justify="flex-end">
        <Button onClick={onDone}>{i18n.t('I have copied it')}</Button>
      </Group>
    </Stack>
  );
}
