import type { EventSecret } from '@deckhand/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../../components/dialog.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { i18n } from '../../language/i18n.ts';

/** Shows a new secret of an endpoint. */
export function SecretShown({ secret, title, onDone }: { secret: EventSecret; title: string; onDone: () => void }) {
  return (
    <Dialog onClose={onDone} title={title} isShownOnce size="lg">
      <Stack>
        <Text size="sm">
          {i18n.t(
            'Copy the secret now: the console shows it only once. Your service verifies the signatures of events with it.',
          )}
        </Text>
        <CopyText label={i18n.t('Signing secret')} text={secret.secret ?? secret.publicKey ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onDone}>{i18n.t('I have copied it')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
