import { Text } from '@mantine/core';
import { i18n } from '../../language/i18n.ts';

/** What people who may not answer read where others have the buttons. */
export function MayNotAnswer() {
  return (
    <Text size="sm" c="dimmed">
      {i18n.t('This is for others to answer. Ask one of them, or an admin for another role.')}
    </Text>
  );
}
