import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.ts';
import { readCallbackSecrets, rotateCallbackSecret } from '../../api/workspaces.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';

/** Shows the secrets that sign the callbacks of runs, and rotates them. They are read on demand: reads are audited. */
export function CallbackSecrets() {
  const { workspaceId } = useWorkspace();
  const reading = useMutation({ mutationFn: () => readCallbackSecrets(workspaceId) });
  const rotation = useMutation({
    mutationFn: () => rotateCallbackSecret(workspaceId),
    onSuccess: () => reading.mutate(),
  });
  const secrets = reading.data?.data;
  return (
    <section aria-labelledby="callback-secrets">
      <Title order={2} size="h4" id="callback-secrets" mb="xs">
        {i18n.t('Signing secrets of callbacks')}
      </Title>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="dimmed">
          {i18n.t(
            'The callbacks of runs are signed with them. After a rotation, the former secret stays valid for a day.',
          )}
        </Text>
        <Group gap="xs">
          <Button variant="default" loading={reading.isPending} onClick={() => reading.mutate()}>
            {i18n.t('Show secrets')}
          </Button>
          <Button variant="default" loading={rotation.isPending} onClick={() => rotation.mutate()}>
            {i18n.t('Rotate secret')}
          </Button>
        </Group>
        <Problem error={rotation.error ?? reading.error} />
        {secrets?.map(({ secret, publicKey, createdAt, expiresAt }, index) => (
          <CopyText
            key={createdAt}
            label={expiresAt === null ? i18n.t('Current secret') : i18n.t('Former secret {index}', { index })}
            text={secret ?? publicKey ?? ''}
          />
        ))}
        {secrets?.length === 0 && (
          <Text size="sm">{i18n.t('There is none before the first callback or rotation.')}</Text>
        )}
      </Stack>
    </section>
  );
}
