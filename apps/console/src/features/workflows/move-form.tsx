import { Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { describePath, type Target } from '../../api/folder-tree.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { notify } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';

/** The value of the top among the options, which are texts. */
const TOP = '';

/** Asks for the target of a move. */
export function MoveForm({
  name,
  targets,
  act,
  onClose,
}: {
  name: string;
  targets: readonly Target[];
  act: (folderId: string | null) => Promise<unknown>;
  onClose: () => void;
}) {
  const choices = targets.map(({ folderId, path }) => ({
    value: folderId ?? TOP,
    label: folderId === null ? i18n.t('Top level') : describePath(path),
  }));
  const [chosen, setChosen] = useState<string | null>(null);
  const queryClient = useQueryClient();
  const moving = useMutation({
    mutationFn: () => act(chosen === TOP ? null : chosen),
    // The possible targets have changed meanwhile.
    onError: () => queryClient.invalidateQueries({ queryKey: ['folders'] }),
    onSuccess() {
      const place = choices.find(({ value }) => value === chosen)?.label ?? '';
      notify(i18n.t('{name} is now in {place}.', { name, place }));
      onClose();
    },
  });
  const isRefused = moving.error instanceof ApiError && moving.error.status === 400;
  return (
    <Modal
      opened
      onClose={onClose}
      title={i18n.t('Move {name}', { name })}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      {choices.length === 0 ? (
        <Text size="sm">{i18n.t('There is no other folder yet. Create one first.')}</Text>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            moving.mutate();
          }}
        >
          <Stack>
            <Select
              label={i18n.t({ id: 'target: To', message: 'To' })}
              placeholder={i18n.t('Select a folder')}
              required
              searchable
              data-autofocus
              nothingFoundMessage={i18n.t('No matching folder')}
              data={choices}
              value={chosen}
              onChange={setChosen}
              error={
                isRefused &&
                i18n.t('The folder, or {name}, was moved or deleted in the meantime. Select another one.', { name })
              }
            />
            <FormFooter
              error={isRefused ? null : moving.error}
              submit={i18n.t('Move')}
              isPending={moving.isPending}
              onCancel={onClose}
            />
          </Stack>
        </form>
      )}
    </Modal>
  );
}
