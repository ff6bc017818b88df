import type { CreatedApiKey } from '@deckhand/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyText } from '../../components/copy-text.js';

/** Shows a created key, the only time, with a command to try it. */
export function KeyMade({ made, onDone }: { made: CreatedApiKey; onDone: () => void }) {
  const curl = `curl ${window.location.origin}/api/workspaces -H 'x-api-key: ${made.key}'`;
  return (
    <Stack>
      <Text size="sm">
        Copy the key now: it is shown only once. It is {made.access}
        {made.expiresAt === null ? ' and never expires.' : ` and expires on ${made.expiresAt.slice(0, 10)}.`}
      </Text>
      <CopyText label="API key" text={made.key} />
      <Text size="sm">Try it out:</Text>
      <CopyText label="Command" text={curl} />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}
