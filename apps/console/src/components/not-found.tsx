import { Center, Stack, Text, Title } from '@mantine/core';
import { AnchorLink } from './anchor-link.js';

/** Shown at an unknown URL. */
export function NotFound() {
  return (
    <Center mih={320} p="lg">
      <Stack align="center" gap="xs">
        <Title order={1} size="h3">
          Page not found
        </Title>
        <Text c="dimmed">The address may contain a typo, or the page no longer exists.</Text>
        <AnchorLink to="/">Go to workflows</AnchorLink>
      </Stack>
    </Center>
  );
}
