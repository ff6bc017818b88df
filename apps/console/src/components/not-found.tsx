import { Center, Stack, Text, Title } from '@mantine/core';
import { i18n } from '../language/i18n.ts';
import { AnchorLink } from './links.tsx';

/** Shown at an unknown URL. */
export function NotFound() {
  return (
    <Center mih={320} p="lg">
      <Stack align="center" gap="xs">
        <Title order={1} size="h3">
          {i18n.t('Page not found')}
        </Title>
        <Text c="dimmed">{i18n.t('The address may contain a typo, or the page no longer exists.')}</Text>
        <AnchorLink to="/">{i18n.t('Go to the home page')}</AnchorLink>
      </Stack>
    </Center>
  );
}
