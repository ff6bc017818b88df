import type { CreatedApiKey } from '@deckhand/contracts';
import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

/** Shows a created key, the only time, with a command to try it. */
export function KeyMade({ made, onDone }: { made: CreatedApiKey; onDone: () => void }) {
  const curl = `curl ${window.location.origin}/api/workspaces -H 'x-api-key: ${made.key}'`;
  return (
    <Stack>
      <Text size="sm">
        Copy the key now: it is shown only once. It is {made.access}
        {made.expiresAt === null ? ' and never expires.' : ` and expires on ${made.expiresAt.slice(0, 10)}.`}
      </Text>
      <Shown label="API key" text={made.key} />
      <Text size="sm">Try it out:</Text>
      <Shown label="Command" text={curl} />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

function Shown({ label, text }: { label: string; text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block aria-label={label} flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            aria-label={`Copy: ${label}`}
            onClick={copy}
            flex="none"
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
