import { Button, Container, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../api/people.ts';
import { createWorkspace } from '../api/workspaces.ts';
import { Problem } from '../components/problem.tsx';
import { i18n } from '../language/i18n.ts';

/** For a person without a workspace: creates one. */
export function NoWorkspace() {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const creation = useMutation({
    mutationFn: createWorkspace,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
  return (
    <Container size={420} component="main" py={80}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate(name);
        }}
      >
        <Stack>
          <Title order={1} size="h3">
            {i18n.t('You are not a member of a workspace yet')}
          </Title>
          <Text c="dimmed">{i18n.t('Ask a colleague for an invite, or create a workspace.')}</Text>
          <TextInput
            label={i18n.t('Workspace name')}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Problem error={creation.error} />
          <Button type="submit" loading={creation.isPending}>
            {i18n.t('Create workspace')}
          </Button>
        </Stack>
      </form>
    </Container>
  );
}
