import { Center, Loader } from '@mantine/core';
import { i18n } from '../language/i18n.ts';

/** Shown while something is loading. */
export function Loading() {
  return (
    <Center mih={240} role="status" aria-label={i18n.t('Loading')}>
      <Loader size="sm" />
    </Center>
  );
}
