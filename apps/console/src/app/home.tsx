import { Button, Container, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../api/people.ts';
import { createWorkspace } from '../api/workspaces.ts';
import { Broken } from '../components/broken.tsx';
import { Loading } from '../components/loading.tsx';
import { Problem } from '../components/problem.tsx';
import { i18n } from '../language/i18n.ts';
import { useSession } from '../session/use-session.ts';
import { lastWorkspace } from './last-workspace.ts';

/** Redirects to the workspace that the person used last. */
export function Home() {
  const session = useSession();
  const me = useQuery({ ...meQuery, enabled: session !== undefined });
  if (me.isError) return <Broken error={me.error} reset={() => void me.refetch()} />;
  if (!me.data) return <Loading />;
  const { workspaces } = me.data;
  const workspace = workspaces.find(({ workspaceId }) => workspaceId === lastWorkspace()) ?? workspaces[0];
  if (!workspace) return <NoWorkspace />;
  return <Navigate to="/w/$workspaceId/home" params={{ workspaceId: workspace.workspaceId }} />;
}

/** For a person without a workspace: creates one. */
function NoWorkspace() {
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
