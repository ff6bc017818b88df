import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { ApiError } from '../api/api-error.ts';
import { i18n } from '../language/i18n.ts';
import { adviceOn } from './advice.ts';
import { AnchorLink } from './links.tsx';

/** Shown instead of a page that failed. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  const { message, advice } = adviceOn(error);
  return (
    <Center mih={320} p="lg" role="alert">
      <Stack align="center" gap="xs" maw={460}>
        <Title order={2} size="h4">
          {message}
        </Title>
        <Text c="dimmed" ta="center">
          {advice}
        </Text>
        {error instanceof ApiError && error.status === 404 ? (
          <AnchorLink to="/">{i18n.t('Go to the home page')}</AnchorLink>
        ) : (
          <Button variant="default" onClick={reset}>
            {i18n.t('Try again')}
          </Button>
        )}
      </Stack>
    </Center>
  );
}
