import { Center, Stack, Text, Title } from '@mantine/core';
import { AnchorLink } from './anchor-link.js';

/** Shown at an unknown URL. */
export function NotFound() {
  return (
    <Center mih={320} p="lg">
      <Stack align="center" gap="xs">
        <Title order={1} size="h3">
          There is nothing here
        </Title>
        <Text c="dimmed">The address may have a typo in it, or what it named is gone.</Text>
        <AnchorLink to="/">Go to your workflows</AnchorLink>
      </Stack>
    </Center>
  );
}
