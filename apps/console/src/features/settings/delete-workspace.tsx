import { Button, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { deleteWorkspace } from '../../api/workspaces.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';

/** Deletes the workspace, after its name is typed. */
export function DeleteWorkspace() {
  const { workspaceId, name } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure(false);
  const [typed, setTyped] = useState('');
  const deletion = useMutation({
    mutationFn: () => deleteWorkspace(workspaceId),
    async onSuccess() {
      // The start page must not find the workspace any more.
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      await navigate({ to: '/' });
    },
  });
  return (
    <section aria-labelledby="delete">
      <Title order={2} size="h4" id="delete" mb="xs">
        {i18n.t('Delete the workspace')}
      </Title>
      <Button variant="default" onClick={asking.open}>
        {i18n.t('Delete workspace')}
      </Button>
      <Modal
        opened={isAsking}
        onClose={asking.close}
        title={i18n.t('Delete the workspace {name}?', { name })}
        closeButtonProps={{ 'aria-label': i18n.t('Close') }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            deletion.mutate();
          }}
        >
          <Stack>
            <Text size="sm">
              {i18n.t(
                'Its runs are stopped, and its workflows, runs, credentials and members are deleted. This cannot be undone.',
              )}
            </Text>
            <TextInput
              label={i18n.t('Type the name of the workspace')}
              data-autofocus
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Problem error={deletion.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={asking.close}>
                {i18n.t('Cancel')}
              </Button>
              <Button type="submit" color="red.9" disabled={typed !== name} loading={deletion.isPending}>
                {i18n.t('Delete')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </section>
  );
}
