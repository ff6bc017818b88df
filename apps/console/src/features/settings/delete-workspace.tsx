import { Button, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { deleteWorkspace } from '../../api/workspaces.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';

/** Deletes the workspace, after its name is typed. */
export function DeleteWorkspace() {
  const { workspaceId, name } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure(false);
  return (
    <section aria-labelledby="delete">
      <Title order={2} size="h4" id="delete" mb="xs">
        {i18n.t('Delete the workspace')}
      </Title>
      <Button variant="default" onClick={asking.open}>
        {i18n.t('Delete workspace')}
      </Button>
      <FormDialog
        isOpen={isAsking}
        title={i18n.t('Delete the workspace {name}?', { name })}
        initial={{ typed: '' }}
        submit={i18n.t('Delete')}
        isDangerous
        canSubmit={({ typed }) => typed === name}
        act={async () => {
          await deleteWorkspace(workspaceId);
          // The start page must not find the workspace any more.
          await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
          await navigate({ to: '/' });
        }}
        onClose={asking.close}
      >
        {({ text }) => (
          <>
            <Text size="sm">
              {i18n.t(
                'Its runs are stopped, and its workflows, runs, credentials and members are deleted. This cannot be undone.',
              )}
            </Text>
            <TextInput label={i18n.t('Type the name of the workspace')} data-autofocus {...text('typed')} />
          </>
        )}
      </FormDialog>
    </section>
  );
}
