import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readDraft } from '../../../api/drafts.ts';
import { workflowQuery } from '../../../api/workflows.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { Problem } from '../../../components/problem.tsx';
import { i18n } from '../../../language/i18n.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';

/** Shown if another version was saved meanwhile: nothing is lost, and the person decides which one to continue with. */
export function StaleSave() {
  const { model, versions } = useEditorSession();
  const isStale = useEditor((state) => state.isStale);
  const resolution = useMutation({
    mutationFn: (whose: 'mine' | 'theirs') => (whose === 'mine' ? versions.saveOnTop() : versions.takeTheirs()),
  });
  return (
    <Dialog
      isOpen={isStale}
      onClose={() => model.forgetSave()}
      title={i18n.t('Somebody else saved a version in the meantime')}
    >
      <Text size="sm">
        {i18n.t(
          'Your changes are not saved yet, and none are lost. Save yours as the latest version (theirs stays in the list of versions), or load their version and make your changes again.',
        )}
      </Text>
      <Problem error={resolution.error} />
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" loading={resolution.isPending} onClick={() => resolution.mutate('theirs')}>
          {i18n.t('Load their version')}
        </Button>
        <Button loading={resolution.isPending} onClick={() => resolution.mutate('mine')}>
          {i18n.t('Save mine as latest')}
        </Button>
      </Group>
    </Dialog>
  );
}

/** Shown while somebody else's draft is newer: the person decides which one to continue with. */
export function DraftConflict() {
  const { workflow, drafts } = useEditorSession();
  const queryClient = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const resolution = useMutation({
    mutationFn: async (whose: 'mine' | 'theirs') =>
      whose === 'mine' ? drafts.saveMine() : drafts.loadTheirs(await readDraft(workflow.id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey }),
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {i18n.t('Resolve…')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={i18n.t('Somebody else is editing this workflow')}>
        <Text size="sm">
          {i18n.t(
            'A workflow has one draft, and theirs is newer. Continue with it, or replace it by yours. Both of you can still save versions.',
          )}
        </Text>
        <Problem error={resolution.error} />
        <Group justify="flex-end" mt="md" gap="xs">
          <Button variant="default" loading={resolution.isPending} onClick={() => resolution.mutate('theirs')}>
            {i18n.t('Load their draft')}
          </Button>
          <Button loading={resolution.isPending} onClick={() => resolution.mutate('mine')}>
            {i18n.t('Replace their draft')}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}
