import { FolderInput, Pencil } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Action } from '../../components/action-menu.tsx';
import { i18n } from '../../language/i18n.ts';
import { MoveForm } from './move-form.tsx';
import { NameForm } from './name-form.tsx';

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
export function moveAction(of: Pick<ComponentProps<typeof MoveForm>, 'name' | 'targets' | 'act'>): Action {
  return { label: i18n.t('Move'), Icon: FolderInput, dialog: (close) => <MoveForm {...of} onClose={close} /> };
}
