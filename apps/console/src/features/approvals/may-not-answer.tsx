import { Text } from '@mantine/core';
import { i18n } from '../../language/i18n.ts';

/** What people whose role may not answer read where others have the buttons. */
export function MayNotAnswer() {
  return (
    <Text size="sm" c="dimmed">
      {i18n.t('Your role in this workspace may not answer. Ask somebody who may, or an admin for another role.')}
    </Text>
  );
}
