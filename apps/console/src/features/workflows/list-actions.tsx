import { Select, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { FolderInput, Pencil } from 'lucide-react';
import { ApiError } from '../../api/api-error.ts';
import { describePath, type Target } from '../../api/folder-tree.ts';
import type { Action } from '../../components/action-menu.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';

/** Renames a workflow or folder. @param rename resolves once the list shows the new name. */
export function renameAction(name: string, rename: (next: string) => Promise<void>): Action {
  return {
    label: i18n.t('Rename'),
    Icon: Pencil,
    dialog: (close) => (
      <NameForm
        title={i18n.t('Rename {name}', { name })}
        name={name}
        submit={i18n.t('Rename')}
        act={rename}
        onClose={close}
      />
    ),
  };
}

/** Moves a workflow or folder. */
export function moveAction(of: Omit<MoveFormProps, 'onClose'>): Action {
  return { label: i18n.t('Move'), Icon: FolderInput, dialog: (close) => <MoveForm {...of} onClose={close} /> };
}

/** The value of the top among the options, which are texts. */
const TOP = '';

interface MoveFormProps {
  readonly name: string;
  readonly targets: readonly Target[];
  readonly act: (folderId: string | null) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the target of a move. */
function MoveForm(props: MoveFormProps) {
  const { name, targets, onClose } = props;
  if (targets.length > 0) return <TargetForm {...props} />;
  return (
    <Dialog title={i18n.t('Move {name}', { name })} onClose={onClose}>
      <Text size="sm">{i18n.t('Create another folder first.')}</Text>
    </Dialog>
  );
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 400;

function TargetForm({ name, targets, act, onClose }: MoveFormProps) {
  const queryClient = useQueryClient();
  const choices = targets.map(({ folderId, path }) => ({
    value: folderId ?? TOP,
    label: folderId === null ? i18n.t('Top level') : describePath(path),
  }));
  const initial: { chosen: string | null } = { chosen: null };
  return (
    <FormDialog
      title={i18n.t('Move {name}', { name })}
      initial={initial}
      submit={i18n.t('Move')}
      act={async ({ chosen }) => {
        try {
          await act(chosen === TOP ? null : chosen);
        } catch (error) {
          // The possible targets have changed meanwhile.
          await queryClient.invalidateQueries({ queryKey: ['folders'] });
          throw error;
        }
        const place = choices.find(({ value }) => value === chosen)?.label ?? '';
        notify(i18n.t('{name} is now in {place}.', { name, place }));
      }}
      isShownAtField={isRefused}
      onClose={onClose}
    >
      {({ field, error }) => (
        <Select
          label={i18n.t({ id: 'target: To', message: 'To' })}
          placeholder={i18n.t('Select a folder')}
          required
          searchable
          data-autofocus
          nothingFoundMessage={i18n.t('No matching folder')}
          data={choices}
          {...field('chosen')}
          error={
            isRefused(error) &&
            i18n.t('The folder, or {name}, was moved or deleted in the meantime. Select another one.', { name })
          }
        />
      )}
    </FormDialog>
  );
}

/** Asks for a name. */
export function NameForm({
  isOpen = true,
  title,
  name = '',
  submit,
  act,
  onClose,
}: {
  isOpen?: boolean;
  title: string;
  name?: string;
  submit: string;
  act: (name: string) => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <FormDialog
      isOpen={isOpen}
      title={title}
      initial={{ name }}
      submit={submit}
      act={(values) => act(values.name)}
      onClose={onClose}
    >
      {({ text }) => (
        <TextInput
          label={i18n.t('Name')}
          required
          maxLength={200}
          data-autofocus
          {...text('name')}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </FormDialog>
  );
}
