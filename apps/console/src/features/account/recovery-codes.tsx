import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { i18n } from '../../language/i18n.ts';

/** Shows recovery codes, the only time. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Dialog title={i18n.t('Recovery codes')} isShownOnce onClose={onDone}>
      <Stack>
        <Text size="sm">
          {i18n.t(
            'Each code lets you in once without your second factor. Keep them where you find them without this device. They are shown only once.',
          )}
        </Text>
        <CopyText label={i18n.t('Recovery codes')} text={codes.join('\n')} />
        <Group justify="flex-end">
          <Button onClick={onDone}>{i18n.t('I have kept them')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
